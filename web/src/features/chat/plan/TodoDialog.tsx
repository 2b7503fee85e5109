import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { todoQuery, todosQuery, useCreateTodo, useUpdateTodo, type TodoFields } from "@/data/todos";
import type { TodoJson, TodoStatusJson } from "@/gen/echomind/public/v1/todo_pb";
import { Dialog } from "@/ui/Dialog";
import { CheckField, SelectField, TextArea, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { LoadFailure } from "@/ui/LoadFailure";
import { Spinner } from "@/ui/Spinner";
import { TODO_STATUSES, todoLabel } from "./status";
import styles from "./Plan.module.css";

interface TodoDialogProps {
  session: string;
  /** The one to change; left out, a new one is added to the reader's own. */
  todo?: TodoJson | undefined;
  /** The plan that it belongs to, in order. */
  plan: readonly TodoJson[];
  onClose: () => void;
}

/** Adds a todo, or changes one. */
export function TodoDialog({ session, todo, plan, onClose }: TodoDialogProps) {
  const { t } = useLingui();
  const { data: stored, error, refetch } = useQuery({ ...todoQuery(todo?.id ?? ""), enabled: todo !== undefined });
  if (!todo || stored) return <TodoForm session={session} todo={stored} plan={plan} onClose={onClose} />;
  return (
    <Dialog title={t`Edit todo`} onClose={onClose}>
      {error ? <LoadFailure error={error} onRetry={refetch} /> : <Spinner label={t`Loading the todo`} />}
    </Dialog>
  );
}

/** Adds a todo to the reader's own. */
export function NewTodoDialog({ session, onClose }: Pick<TodoDialogProps, "session" | "onClose">) {
  const { data: todos } = useQuery(todosQuery(session));
  const own = todos?.filter(({ runId }) => !runId) ?? [];
  return <TodoForm session={session} plan={own} onClose={onClose} />;
}

function TodoForm({ session, todo = {}, plan, onClose }: TodoDialogProps) {
  const { t } = useLingui();
  const { id } = todo;
  const create = useCreateTodo(session);
  const update = useUpdateTodo(session);
  const [title, setTitle] = useState(todo.title ?? "");
  const [description, setDescription] = useState(todo.description ?? "");
  const [status, setStatus] = useState<TodoStatusJson>(todo.status ?? "TODO_STATUS_PENDING");
  const [dependencies, setDependencies] = useState<readonly string[]>(todo.dependencies ?? []);
  const others = plan.filter((other) => other.id !== id);
  const save = async () => {
    const fields = { title: title.trim(), description: description.trim(), status, dependencies: [...dependencies] };
    await (id ? update.mutateAsync({ id, ...changed(todo, fields) }) : create.mutateAsync(fields));
  };
  return (
    <FormDialog
      title={id ? t`Edit todo` : t`Add todo`}
      action={id ? t`Save` : t`Add`}
      isReady={title.trim() !== ""}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label={t`Title`} required maxLength={500} value={title} onChange={(event) => setTitle(event.target.value)} />
      <TextArea
        label={t`Description (optional)`}
        rows={3}
        maxLength={10_000}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      {id && (
        <SelectField label={t`Status`} value={status} options={TODO_STATUSES.map((value) => ({ value, label: todoLabel(value) }))} onChange={(value) => setStatus(value as TodoStatusJson)} />
      )}
      {others.length > 0 && (
        <fieldset className={styles.dependencies}>
          <legend><Trans>Depends on</Trans></legend>
          {others.map(({ id: other = "", orderIndex, title }) => (
            <CheckField
              key={other}
              label={`${orderIndex ?? ""}. ${title ?? ""}`}
              checked={dependencies.includes(other)}
              onChange={(isChecked) => setDependencies([...dependencies.filter((one) => one !== other), ...(isChecked ? [other] : [])])}
            />
          ))}
        </fieldset>
      )}
    </FormDialog>
  );
}

/** The changed fields, so that concurrent changes of other fields are kept. */
function changed(todo: TodoJson, fields: Required<TodoFields>): TodoFields {
  const known: Record<string, unknown> = { description: "", status: "TODO_STATUS_PENDING", dependencies: [], ...todo };
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name])));
}
