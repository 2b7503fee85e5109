import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useSaveKnowledge } from "@/data/knowledge";
import { hasRole, useCurrentUser } from "@/data/users";
import type { KnowledgeEntityJson } from "@/gen/echomind/public/v1/knowledge_pb";
import { CheckField, TextArea, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";

interface EntityDialogProps {
  /** Initial content; with an ID it is updated, otherwise created. */
  entity?: KnowledgeEntityJson;
  /** The answer to save as an entity. */
  messageId?: string;
  onClose: () => void;
  onAdded?: (added: KnowledgeEntityJson) => void;
}

/** Adds an entity, which can be an answer, or edits one. */
export function EntityDialog({ entity, messageId, onClose, onAdded }: EntityDialogProps) {
  const { t } = useLingui();
  const isChange = entity?.id !== undefined;
  const [title, setTitle] = useState(entity?.title ?? "");
  const [content, setContent] = useState(entity?.content ?? "");
  const [category, setCategory] = useState(entity?.category ?? "");
  const [tags, setTags] = useState((entity?.tags ?? []).join(", "));
  const [isForAll, setForAll] = useState(false);
  const mayAddForAll = hasRole(useCurrentUser(), "ROLE_SUPERADMIN") && !isChange;
  const save = useSaveKnowledge(messageId);
  const words = [...new Set(tags.split(",").map((tag) => tag.trim()))].filter(Boolean);
  const submit = async () => {
    const saved = await save.mutateAsync({
      ...(entity?.id && { id: entity.id }),
      title: title.trim(),
      content: content.trim(),
      category: category.trim(),
      tags: words,
      ...(isForAll && { level: "KNOWLEDGE_LEVEL_ORGANIZATION" as const }),
    });
    if (!isChange) onAdded?.(saved);
  };
  return (
    <FormDialog
      title={isChange ? t`Edit ${entity.title ?? ""}` : messageId ? t`Save as knowledge` : t`Add knowledge`}
      action={isChange || messageId ? t`Save` : t`Add`}
      isReady={title.trim() !== "" && content.trim() !== ""}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label={t`Title`} required maxLength={200} value={title} onChange={(event) => setTitle(event.target.value)} />
      <TextArea
        label={t`Content`}
        hint={t`One topic, understandable on its own. No passwords or keys.`}
        required
        maxLength={4000}
        rows={6}
        value={content}
        onChange={(event) => setContent(event.target.value)}
      />
      <TextField label={t`Category (optional)`} maxLength={100} value={category} onChange={(event) => setCategory(event.target.value)} />
      <TextField label={t`Tags (optional)`} hint={t`Separated by commas.`} value={tags} onChange={(event) => setTags(event.target.value)} />
      {mayAddForAll && <CheckField label={t`For everyone in the organization`} checked={isForAll} onChange={setForAll} />}
    </FormDialog>
  );
}
