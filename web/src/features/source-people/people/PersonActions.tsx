import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useSetAlias } from "@/data/source-people";
import type { SourcePersonJson } from "@/gen/echomind/public/v1/source_permission_pb";
import { Button } from "@/ui/Button";
import { showFailure, showToast } from "@/ui/toasts";
import { AccountDialog } from "./AccountDialog";

/** Maps a person of a source to an account, or removes the alias; for superadmins. */
export function PersonActions({ person }: { person: SourcePersonJson }) {
  const { t } = useLingui();
  const [isChoosing, setChoosing] = useState(false);
  const alias = useSetAlias();
  const { key = "", userId = 0, mapping } = person;
  const name = person.name || person.email || key;
  const remove = () =>
    alias.mutate(
      { key, userId: 0 },
      {
        onError: showFailure,
        onSuccess: () =>
          showToast({
            message: t`Removed the alias of ${name}.`,
            action: { label: t`Undo`, run: () => alias.mutate({ key, userId }, { onError: showFailure }) },
          }),
      },
    );
  return (
    <>
      {mapping === "SOURCE_PERSON_MAPPING_ALIAS" ? (
        <Button size="sm" onClick={remove} disabled={alias.isPending} aria-label={t`Remove alias of ${name}`}>
          <Trans>Remove alias</Trans>
        </Button>
      ) : (
        <Button size="sm" onClick={() => setChoosing(true)} aria-label={t`Choose account of ${name}`}>
          <Trans>Choose account</Trans>
        </Button>
      )}
      {isChoosing && <AccountDialog person={person} onClose={() => setChoosing(false)} />}
    </>
  );
}
