import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useSetAlias } from "@/data/source-people";
import type { SourceAliasJson, SourcePersonJson } from "@/gen/echomind/public/v1/source_permission_pb";
import { Button } from "@/ui/Button";
import { showFailure, showToast } from "@/ui/toasts";
import { AccountDialog } from "./AccountDialog";

/** Maps a person of a source to an account, or removes the alias; for superadmins. */
export function PersonActions({ person }: { person: SourcePersonJson }) {
  const { t } = useLingui();
  const [isChoosing, setChoosing] = useState(false);
  const name = person.name || person.email || person.key;
  if (person.mapping === "SOURCE_PERSON_MAPPING_ALIAS") return <RemoveAlias alias={person} />;
  return (
    <>
      <Button size="sm" onClick={() => setChoosing(true)} aria-label={t`Choose account of ${name}`}>
        <Trans>Choose account</Trans>
      </Button>
      {isChoosing && <AccountDialog person={person} onClose={() => setChoosing(false)} />}
    </>
  );
}

/** Removes an alias, which can be undone as long as its account is there; for superadmins. */
export function RemoveAlias({ alias }: { alias: Pick<SourceAliasJson, "key" | "name" | "email" | "userId"> }) {
  const { t } = useLingui();
  const change = useSetAlias();
  const { key = "", userId = 0 } = alias;
  const name = alias.name || alias.email || key;
  const remove = () =>
    change.mutate(
      { key, userId: 0 },
      {
        onError: showFailure,
        onSuccess: () =>
          showToast({
            message: t`Removed the alias of ${name}.`,
            ...(userId && { action: { label: t`Undo`, run: () => change.mutate({ key, userId }, { onError: showFailure }) } }),
          }),
      },
    );
  return (
    <Button size="sm" onClick={remove} disabled={change.isPending} aria-label={t`Remove alias of ${name}`}>
      <Trans>Remove alias</Trans>
    </Button>
  );
}
