package io.asyncflow.flowsvr.task.table.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;

class TableShapeTest {

  private static final String TEMPLATE =
      """
      CREATE TABLE `t_task_template` (
        `id` bigint NOT NULL COMMENT 'a, `b`) KEY',
        `stage` varchar(64) COLLATE utf8mb4_bin NOT NULL,
        `note` text,
        PRIMARY KEY (`id`),
        KEY `idx_claim` (`stage`,`id`),
        UNIQUE KEY `idx_note` (`note`(10))
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin\
      """;

  @Test
  void readsColumnsAndKeysAsTheEngineWritesThem() {
    TableShape shape = TableShape.parse(TEMPLATE);
    assertThat(shape.columns())
        .containsOnlyKeys("id", "stage", "note")
        .containsEntry("id", "bigint NOT NULL COMMENT 'a, `b`) KEY'")
        .containsEntry("note", "text");
    assertThat(shape.keys())
        .containsOnlyKeys("idx_claim", "idx_note")
        .containsEntry("idx_claim", "KEY `idx_claim` (`stage`,`id`)")
        .containsEntry("idx_note", "UNIQUE KEY `idx_note` (`note`(10))");
  }

  @Test
  void aDefinitionThatIsWrittenOtherwiseIsNoTableWithoutColumns() {
    assertThatThrownBy(() -> TableShape.parse(TEMPLATE.replace('`', '"')))
        .isInstanceOf(DataAccessException.class);
  }

  @Test
  void orderOfColumnsDoesNotMatter() {
    TableShape other =
        TableShape.parse(
            """
            CREATE TABLE `t_lark_task_1` (
              `note` text,
              `id` bigint NOT NULL COMMENT 'a, `b`) KEY',
              `stage` varchar(64) COLLATE utf8mb4_bin NOT NULL,
              PRIMARY KEY (`id`),
              UNIQUE KEY `idx_note` (`note`(10)),
              KEY `idx_claim` (`stage`,`id`)
            ) ENGINE=InnoDB\
            """);
    assertThat(other.changesTo(TableShape.parse(TEMPLATE))).isEmpty();
  }

  @Test
  void eachKindOfChangeIsAStatementOfItsOwn() {
    TableShape old =
        TableShape.parse(
            """
            CREATE TABLE `t_lark_task_1` (
              `id` bigint NOT NULL COMMENT 'a, `b`) KEY',
              `stage` varchar(32) COLLATE utf8mb4_bin NOT NULL,
              `gone` int DEFAULT NULL,
              PRIMARY KEY (`id`),
              KEY `idx_claim` (`stage`),
              KEY `idx_gone` (`gone`)
            ) ENGINE=InnoDB\
            """);
    assertThat(old.changesTo(TableShape.parse(TEMPLATE)))
        .containsExactly(
            "ADD COLUMN `note` text",
            "MODIFY COLUMN `stage` varchar(64) COLLATE utf8mb4_bin NOT NULL",
            "DROP KEY `idx_claim`, DROP KEY `idx_gone`, ADD KEY `idx_claim` (`stage`,`id`),"
                + " ADD UNIQUE KEY `idx_note` (`note`(10))",
            "DROP COLUMN `gone`");
  }

  @Test
  void characterSetThatTheCollationImpliesMakesNoDifference() {
    TableShape bare = TableShape.parse("  `a` varchar(9) COLLATE utf8mb4_bin NOT NULL,\n");
    TableShape full =
        TableShape.parse("  `a` varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,\n");
    assertThat(full.changesTo(bare)).isEmpty();
  }
}
