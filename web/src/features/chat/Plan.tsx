import { CircleCheck, CircleDashed, CircleDot, CircleSlash, CircleX, ListChecks } from "lucide-react";
import type { TodoJson, TodoStatusJson } from "@/gen/echomind/public/v1/todo_pb";
import { classes } from "@/ui/classes";
import styles from "./Plan.module.css";

const WAITING = { Icon: CircleDashed, label: "Not begun", style: "waiting" };

const STATES: Partial<Record<TodoStatusJson, typeof WAITING>> = {
  TODO_STATUS_IN_PROGRESS: { Icon: CircleDot, label: "Being worked on", style: "active" },
  TODO_STATUS_COMPLETED: { Icon: CircleCheck, label: "Done", style: "done" },
  TODO_STATUS_CANCELLED: { Icon: CircleSlash, label: "Not needed any more", style: "dropped" },
  TODO_STATUS_FAILED: { Icon: CircleX, label: "Failed", style: "failed" },
};

/** A plan as a list to tick off. Nothing when it is empty. */
export function Plan({ todos, isOpen = true }: { todos: readonly TodoJson[]; isOpen?: boolean }) {
  if (todos.length === 0) return null;
  const ordered = [...todos].sort((a, b) => (a.orderIndex ?? 0) - (b.orderIndex ?? 0));
  const done = todos.filter(({ status }) => status === "TODO_STATUS_COMPLETED").length;
  return (
    <details className={styles.plan} open={isOpen}>
      <summary className={styles.summary}>
        <ListChecks size={15} aria-hidden />
        Plan
        <span className={styles.figures}>
          {done} of {todos.length} done
        </span>
        <progress className={styles.progress} max={todos.length} value={done} aria-label="Plan done" />
      </summary>
      <ol className={styles.todos} aria-label="Plan">
        {ordered.map((todo) => (
          <Todo key={todo.id} todo={todo} before={ordered.filter(({ id }) => id && todo.dependencies?.includes(id))} />
        ))}
      </ol>
    </details>
  );
}

/** One thing to be done; `before` are those that must be done first. */
function Todo({ todo, before }: { todo: TodoJson; before: readonly TodoJson[] }) {
  const { Icon, label, style } = (todo.status && STATES[todo.status]) ?? WAITING;
  const open = before.filter(({ status }) => status !== "TODO_STATUS_COMPLETED").map(({ orderIndex }) => orderIndex);
  return (
    <li className={classes(styles.todo, styles[style])} title={todo.description || undefined}>
      <Icon size={15} aria-label={label} className={styles.icon} />
      <span className={styles.title}>
        {todo.orderIndex}. {todo.title}
        {open.length > 0 && <span className={styles.figures}> after {open.join(", ")}</span>}
        {todo.error && <span className={styles.error}> {todo.error}</span>}
      </span>
      <span className={styles.figures}>{efforts(todo)}</span>
    </li>
  );
}

/** What it took beside what it was thought to take. */
function efforts(todo: TodoJson): string {
  const parts = [
    effort(todo.actualSteps, todo.estimatedSteps, "steps"),
    effort(todo.actualTokens, todo.estimatedTokens, "tokens"),
  ];
  return parts.filter(Boolean).join(" · ");
}

function effort(actual = 0, estimated = 0, noun: string): string {
  if (estimated > 0) return `${actual.toLocaleString()} of ~${estimated.toLocaleString()} ${noun}`;
  return actual > 0 ? `${actual.toLocaleString()} ${noun}` : "";
}
