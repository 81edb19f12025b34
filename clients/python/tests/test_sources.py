import ast
import unittest
from pathlib import Path

SOURCES = sorted((Path(__file__).parents[1] / "src").rglob("*.py"))


class SourcesTest(unittest.TestCase):
    def test_grammar_is_that_of_python_3_9(self):
        self.assertGreater(len(SOURCES), 10)
        for source in SOURCES:
            ast.parse(source.read_text(), str(source), feature_version=(3, 9))

    def test_everything_public_is_described(self):
        for source in SOURCES:
            tree = ast.parse(source.read_text())
            named = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
            exported = [node for node in tree.body if isinstance(node, named)]
            for node in [tree, *(node for node in exported if not node.name.startswith("_"))]:
                self.assertTrue(ast.get_docstring(node), f"{source.name}: {getattr(node, 'name', '')}")
