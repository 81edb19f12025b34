package io.asyncflow.flowsvr.compose.hook;

import io.asyncflow.api.hook.Hook;
import io.asyncflow.api.hook.HookState;
import io.asyncflow.api.hook.SavedHook;
import io.asyncflow.flowsvr.compose.hook.HookActs.Saved;
import io.asyncflow.flowsvr.compose.hook.HookStore.Definition;
import io.asyncflow.flowsvr.compose.hook.egress.HookAllow;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.rules.field.PageFields;
import java.util.List;
import java.util.Optional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/hook")
class HookController {

  private final HookActs acts;
  private final HookStore hooks;
  private final HookAllow allow;

  HookController(HookActs acts, HookStore hooks, HookAllow allow) {
    this.acts = acts;
    this.hooks = hooks;
    this.allow = allow;
  }

  record SaveHook(
      String name,
      String url,
      List<String> taskTypes,
      List<String> kinds,
      String state,
      String operator,
      String reason) {}

  record ChangeHook(String hookId, String name, String operator, String reason) {}

  record Tested(String taskId) {}

  record HookList(List<Hook> hookList) {}

  @Takes(summary = "Creates or changes the hook of a name", shape = SaveHook.class)
  @Needs(Verb.HOOK_MANAGE)
  @PostMapping("/save")
  Envelope<SavedHook> save(Fields in, Caller caller) {
    Definition hook = HookForm.read(in, allow);
    Reason why = Reason.read(in);
    in.refuseIfBad();
    return Envelope.ok(answer(acts.save(hook, why, caller)));
  }

  @Takes(summary = "Gives a hook a new secret", shape = ChangeHook.class)
  @Needs(Verb.HOOK_MANAGE)
  @PostMapping("/rotate")
  Envelope<SavedHook> rotate(Fields in, Caller caller) {
    Reason why = Reason.read(in);
    return Envelope.ok(answer(acts.rotate(hook(in, caller).id(), why)));
  }

  @Takes(summary = "Lists all hooks, without their secrets")
  @Needs(Verb.HOOK_MANAGE)
  @GetOrPost("/list")
  Envelope<HookList> list(Fields in, Caller caller) {
    in.refuseIfBad();
    return Envelope.ok(
        new HookList(
            hooks.all().stream()
                .filter(hook -> hook.state() != StoredHookState.DELETED)
                .filter(hook -> caller.sees(hook.scoped()))
                .map(HookController::view)
                .toList()));
  }

  @Takes(summary = "Sends a test to the URL of a hook, as a task", shape = ChangeHook.class)
  @Needs(Verb.HOOK_MANAGE)
  @PostMapping("/test")
  Envelope<Tested> test(Fields in, Caller caller) {
    Reason why = Reason.read(in);
    return Envelope.ok(new Tested(acts.test(hook(in, caller), why).toString()));
  }

  @Takes(summary = "Deletes a hook", shape = ChangeHook.class)
  @Needs(Verb.HOOK_MANAGE)
  @PostMapping("/delete")
  Envelope<Void> delete(Fields in, Caller caller) {
    Reason why = Reason.read(in);
    acts.delete(hook(in, caller).id(), why);
    return Envelope.done();
  }

  private static Hook view(HookRow hook) {
    return new Hook(
        hook.hookId(),
        hook.name(),
        hook.url(),
        hook.taskTypes(),
        hook.kinds(),
        HookState.valueOf(hook.state().name()),
        Long.toString(hook.cursor()),
        hook.secrets(hook.now()).size() > 1 ? hook.oldSecretEnd() : null,
        hook.failSince(),
        hook.lastError().isEmpty() ? null : hook.lastError(),
        hook.createTime(),
        hook.modifyTime());
  }

  private static SavedHook answer(Saved saved) {
    return new SavedHook(
        Long.toString(saved.id()), saved.secret() == null ? null : saved.secret().text());
  }

  /** The hook that the request names; refuses the request if any field is invalid. */
  private HookRow hook(Fields in, Caller caller) {
    Long id = in.text("hookId").as(PageFields::number, "is not a hook id");
    String name = in.text("name").name().max(HookForm.NAME).value();
    if (!in.has("hookId") && !in.has("name")) {
      in.refuse("hookId", "is required, or name in its place");
    }
    in.refuseIfBad();
    Optional<HookRow> hook = id == null ? hooks.find(name) : hooks.find(id);
    return hook.filter(row -> caller.sees(row.scoped()))
        .orElseThrow(() -> new NoSuchHookException(id == null ? name : id.toString()));
  }
}
