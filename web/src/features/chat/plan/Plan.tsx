import { Trans, useLingui } from "@lingui/react/macro";
import { ListChecks, Plus } from "lucide-react";
import { useState } from "react";
import { useDeleteTodo, useUpdateTodo } from "@/data/todos";
import type { TodoJson } from "@/gen/echomind/public/v1/todo_pb";
import { Button } from "@/ui/Button";
import { Notice } from "@/ui/Notice";
import { Todo } from "./Todo";
import { TodoDialog } from "./TodoDialog";
import styles from "./Plan.module.css";

interface PlanProps {
  todos: readonly TodoJson[];
  /** Whether it is the reader's own, and not a run's. */
  isOwn?: boolean;
  isOpen?: boolean;
}

/** A plan as a list to tick off, change and add to. Nothing when it is empty. */
export function Plan({ todos, isOwn = false, isOpen = true }: PlanProps) {
  const { t } = useLingui();
  const [edited, setEdited] = useState<TodoJson | "new">();
  const session = String(todos[0]?.chatSessionId ?? 0);
  const update = useUpdateTodo(session);
  const remove = useDeleteTodo(session);
  const failure = update.error ?? remove.error;
  if (todos.length === 0) return null;
  const ordered = [...todos].sort((a, b) => (a.orderIndex ?? 0) - (b.orderIndex ?? 0));
  const done = todos.filter(({ status }) => status === "TODO_STATUS_COMPLETED").length;
  const title = isOwn ? t`Your todos` : t`Plan`;
  return (
    <details className={styles.plan} open={isOpen}>
      <summary className={styles.summary}>
        <ListChecks size={15} aria-hidden />
        {title}
        <span className={styles.figures}>
          {t`${done} of ${todos.length} done`}
        </span>
        <progress className={styles.progress} max={todos.length} value={done} aria-label={t`${title} done`} />
      </summary>
      <ol className={styles.todos} aria-label={title}>
        {ordered.map((todo) => (
          <Todo
            key={todo.id}
            todo={todo}
            before={ordered.filter(({ id }) => id && todo.dependencies?.includes(id))}
            isBusy={update.isPending || remove.isPending}
            onStatusChange={(id, status) => update.mutate({ id, status })}
            onEdit={() => setEdited(todo)}
            onRemove={remove.mutate}
          />
        ))}
      </ol>
      {isOwn && (
        <Button size="sm" variant="ghost" onClick={() => setEdited("new")}>
          <Plus size={14} /> <Trans>Add todo</Trans>
        </Button>
      )}
      {failure && <Notice tone="danger">{failure.message}</Notice>}
      {edited && (
        <TodoDialog
          session={session}
          todo={edited === "new" ? undefined : edited}
          plan={ordered}
          onClose={() => setEdited(undefined)}
        />
      )}
    </details>
  );
}
