import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { KeyRound, Trash2 } from "lucide-react";
import { useState } from "react";
import { useDeleteScimClient, useDeleteScimToken } from "@/data/scim-clients";
import type { ScimClientJson, ScimTokenJson } from "@/gen/echomind/public/v1/scim_client_pb";
import { ActionsMenu } from "@/ui/ActionsMenu";
import { Badge } from "@/ui/Badge";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatMoment } from "@/ui/format";
import { MenuItem, MenuSeparator } from "@/ui/Menu";
import { Row } from "@/ui/Rows";
import { ScimTokenDialog } from "./ScimTokenDialog";

/** A SCIM client in the list with its actions. */
export function ScimClientRow({ client }: { client: ScimClientJson }) {
  const { t } = useLingui();
  const { id = 0, name = "", provider, tokens = [], userCount = 0, groupCount = 0, lastUsedAt } = client;
  const [dialog, setDialog] = useState<"token" | "remove">();
  const [removed, setRemoved] = useState<ScimTokenJson>();
  const removal = useDeleteScimClient();
  const tokenRemoval = useDeleteScimToken();
  return (
    <Row
      name={name}
      badges={tokens.length === 0 && <Badge tone="warn">{t`No token`}</Badge>}
      facts={[
        provider && t`People sign in at ${provider}`,
        plural(userCount, { one: "# person", other: "# people" }),
        plural(groupCount, { one: "# group", other: "# groups" }),
        lastUsedAt ? t`Last used ${formatMoment(lastUsedAt)}` : t`Never used`,
        ...tokens.map((token) => t`Token ${token.prefix ?? ""}… until ${formatMoment(token.expiresAt)}`),
      ]}
      actions={
        <ActionsMenu label={t`Actions for ${name}`}>
          <MenuItem icon={<KeyRound size={15} />} isDisabled={tokens.length > 1} onSelect={() => setDialog("token")}>
            <Trans>Create a token</Trans>
          </MenuItem>
          {tokens.map((token) => (
            <MenuItem key={token.id} icon={<Trash2 size={15} />} isDangerous onSelect={() => setRemoved(token)}>
              <Trans>Remove token {token.prefix}…</Trans>
            </MenuItem>
          ))}
          <MenuSeparator />
          <MenuItem icon={<Trash2 size={15} />} isDangerous onSelect={() => setDialog("remove")}>
            <Trans>Remove</Trans>
          </MenuItem>
        </ActionsMenu>
      }
    >
      {dialog === "token" && <ScimTokenDialog id={id} name={name} onClose={() => setDialog(undefined)} />}
      {dialog === "remove" && (
        <ConfirmDialog
          title={t`Remove the SCIM client ${name}?`}
          text={t`Its tokens stop working, and the memberships that it gave are taken back. Accounts and groups stay.`}
          action={t`Remove`}
          onConfirm={() => removal.mutateAsync(id)}
          onClose={() => setDialog(undefined)}
        />
      )}
      {removed && (
        <ConfirmDialog
          title={t`Remove the token ${removed.prefix ?? ""}…?`}
          text={t`It stops working within a minute.`}
          action={t`Remove`}
          onConfirm={() => tokenRemoval.mutateAsync({ id, tokenId: removed.id ?? 0 })}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </Row>
  );
}
