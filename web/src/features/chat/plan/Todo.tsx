import { plural, t as lingui } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { CircleCheck, CircleDashed, CircleDot, CircleSlash, CircleX, Pencil, Trash2 } from "lucide-react";
import type { TodoJson, TodoStatusJson } from "@/gen/echomind/public/v1/todo_pb";
import { ActionsMenu } from "@/ui/ActionsMenu";
import { IconButton } from "@/ui/Button";
import { classes } from "@/ui/classes";
import { formatNumber } from "@/ui/format";
import { type ByMember, ofMember } from "@/ui/members";
import { MenuItem } from "@/ui/Menu";
import { todoLabel } from "./status";
import styles from "./Plan.module.css";

const WAITING = { Icon: CircleDashed, style: "waiting" };

const STATES: ByMember<TodoStatusJson, typeof WAITING> = {
  TODO_STATUS_PENDING: WAITING,
  TODO_STATUS_IN_PROGRESS: { Icon: CircleDot, style: "active" },
  TODO_STATUS_COMPLETED: { Icon: CircleCheck, style: "done" },
  TODO_STATUS_CANCELLED: { Icon: CircleSlash, style: "dropped" },
  TODO_STATUS_FAILED: { Icon: CircleX, style: "failed" },
};

interface TodoProps {
  todo: TodoJson;
  /** The todos that it depends on. */
  before: readonly TodoJson[];
  /** Whether a change is being saved. */
  isBusy: boolean;
  onStatusChange: (id: string, status: TodoStatusJson) => void;
  onEdit: () => void;
  onRemove: (id: string) => void;
}

/** A todo with its status, effort and actions. */
export function Todo({ todo, before, isBusy, onStatusChange, onEdit, onRemove }: TodoProps) {
  const { t } = useLingui();
  const { id = "", title = "", status, result } = todo;
  const { Icon, style } = ofMember(STATES, status) ?? WAITING;
  const isOpen = style === "waiting" || style === "active";
  const open = before.filter((other) => other.status !== "TODO_STATUS_COMPLETED").map(({ orderIndex }) => orderIndex);
  return (
    <li className={classes(styles.todo, styles[style])} title={todo.description || undefined}>
      <IconButton
        label={isOpen ? t`Mark as done: ${title}` : t`Reopen: ${title}`}
        className={styles.tick}
        disabled={isBusy}
        onClick={() => onStatusChange(id, isOpen ? "TODO_STATUS_COMPLETED" : "TODO_STATUS_PENDING")}
      >
        <Icon size={15} />
      </IconButton>
      <span className={styles.title}>
        <span className={styles.name}>
          {todo.orderIndex}. {title}
        </span>
        <span className="visually-hidden"> ({todoLabel(status)})</span>
        {open.length > 0 && <span className={styles.figures}> {t`after ${open.join(", ")}`}</span>}
        {todo.error && <span className={styles.error}> {todo.error}</span>}
        {result && <span className={styles.result}>{result}</span>}
      </span>
      <span className={styles.figures}>{efforts(todo)}</span>
      <ActionsMenu label={t`Actions for ${title}`} size={15} className={styles.actions}>
        <MenuItem icon={<Pencil size={15} />} onSelect={onEdit}>
          <Trans>Edit</Trans>
        </MenuItem>
        <MenuItem icon={<Trash2 size={15} />} isDangerous isDisabled={isBusy} onSelect={() => onRemove(id)}>
          <Trans>Remove</Trans>
        </MenuItem>
      </ActionsMenu>
    </li>
  );
}

/** Actual and estimated effort. */
function efforts(todo: TodoJson): string {
  const parts = [
    effort(todo.actualSteps, todo.estimatedSteps, (steps) => plural(steps, { one: "# step", other: "# steps" })),
    effort(todo.actualTokens, todo.estimatedTokens, (tokens) => plural(tokens, { one: "# token", other: "# tokens" })),
  ];
  return parts.filter(Boolean).join(" · ");
}

function effort(actual = 0, estimated = 0, counted: (count: number) => string): string {
  if (estimated > 0) return lingui`${formatNumber(actual)} of about ${counted(estimated)}`;
  return actual > 0 ? counted(actual) : "";
}
