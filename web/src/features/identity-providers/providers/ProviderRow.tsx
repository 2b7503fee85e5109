import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { CheckCheck, ExternalLink, Pencil, Power, Trash2 } from "lucide-react";
import { useState } from "react";
import { providerTestUrl } from "@/api/routes";
import { useDeleteIdentityProvider, useSaveIdentityProvider, useTestIdentityProvider } from "@/data/identity-providers";
import type { IdentityProviderJson } from "@/gen/echomind/public/v1/identity_provider_pb";
import { ActionsMenu } from "@/ui/ActionsMenu";
import { Badge } from "@/ui/Badge";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { MenuItem, MenuSeparator } from "@/ui/Menu";
import { Notice } from "@/ui/Notice";
import { Row } from "@/ui/Rows";
import { Spinner } from "@/ui/Spinner";
import { ProviderDialog } from "./ProviderDialog";

/** A provider in the list with its actions. */
export function ProviderRow({ provider }: { provider: IdentityProviderJson }) {
  const { t } = useLingui();
  const { id = 0, name = "", title = "", issuer, mapping, isManaged = false, isActive = true } = provider;
  const [dialog, setDialog] = useState<"edit" | "remove">();
  const test = useTestIdentityProvider();
  const save = useSaveIdentityProvider();
  const removal = useDeleteIdentityProvider();
  const failure = test.error ?? save.error;
  const shown = title || name;
  const groups = Object.keys(mapping?.groups ?? {}).length;
  const roles = Object.keys(mapping?.roles ?? {}).length;
  return (
    <Row
      name={shown}
      badges={
        <>
          {isManaged && <Badge tone="neutral">{t`From the settings`}</Badge>}
          {!isActive && <Badge tone="warn">{t`Inactive`}</Badge>}
        </>
      }
      facts={[
        issuer,
        groups > 0 && plural(groups, { one: "# group mapped", other: "# groups mapped" }),
        roles > 0 && plural(roles, { one: "# role mapped", other: "# roles mapped" }),
      ]}
      actions={
        <ActionsMenu label={t`Actions for ${shown}`}>
          <MenuItem icon={<ExternalLink size={15} />} onSelect={() => window.open(providerTestUrl(name), "_blank", "noopener")}>
            <Trans>Test a sign-in</Trans>
          </MenuItem>
          <MenuItem icon={<CheckCheck size={15} />} isDisabled={test.isPending} onSelect={() => test.mutate(name)}>
            <Trans>Test the connection</Trans>
          </MenuItem>
          {!isManaged && (
            <>
              <MenuItem icon={<Pencil size={15} />} onSelect={() => setDialog("edit")}>
                <Trans>Edit</Trans>
              </MenuItem>
              <MenuItem icon={<Power size={15} />} onSelect={() => save.mutate({ id, isActive: !isActive })}>
                {isActive ? <Trans>Deactivate</Trans> : <Trans>Activate</Trans>}
              </MenuItem>
              <MenuSeparator />
              <MenuItem icon={<Trash2 size={15} />} isDangerous onSelect={() => setDialog("remove")}>
                <Trans>Remove</Trans>
              </MenuItem>
            </>
          )}
        </ActionsMenu>
      }
    >
      {test.isPending && <Spinner label={t`Testing ${shown}`} />}
      {test.data && <Notice tone={test.data.ok ? "info" : "danger"}>{test.data.message}</Notice>}
      {failure && <Notice tone="danger">{failure.message}</Notice>}
      {dialog === "edit" && <ProviderDialog provider={provider} onClose={() => setDialog(undefined)} />}
      {dialog === "remove" && (
        <ConfirmDialog
          title={t`Remove the provider ${shown}?`}
          text={t`Sessions that were begun with it end, and the groups and roles that it gave are taken back. Accounts stay.`}
          action={t`Remove`}
          onConfirm={() => removal.mutateAsync(id)}
          onClose={() => setDialog(undefined)}
        />
      )}
    </Row>
  );
}
