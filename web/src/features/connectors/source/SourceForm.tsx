import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useLocation } from "wouter";
import { serverWords } from "@/api/error-words";
import { ApiError } from "@/api/http";
import { useAudiences } from "@/data/audiences";
import { useAddSource, useTestSource, useUpdateSource } from "@/data/sources";
import { useCurrentUser } from "@/data/users";
import type { ConnectorJson, ConnectorTypeInfoJson, PermissionModeJson } from "@/gen/echomind/public/v1/connector_pb";
import type { TestConnectorRequestJson } from "@/gen/echomind/public/v1/connector_service_pb";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { SelectField, TextField } from "@/ui/Field";
import { Form, FormActions, FormSection } from "@/ui/Form";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import { CheckList } from "./CheckList";
import { useModes, useSchedules } from "./choices";
import { SettingFields } from "./SettingFields";
import { applying, entered, faultsOf, faultyTitles, isComplete, type Settings } from "./values";

interface SourceFormProps {
  type: ConnectorTypeInfoJson;
  /** The source to change; left out for a new one. */
  source?: ConnectorJson;
  onSaved?: () => void;
}

/** The settings of a source: what to read, credentials, visibility and schedule. */
export function SourceForm({ type, source, onSaved }: SourceFormProps) {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const user = useCurrentUser();
  const audiences = useAudiences();
  const schedules = useSchedules();
  const modes = useModes(type.permissionModes ?? []);
  const add = useAddSource();
  const update = useUpdateSource(source?.id ?? 0);
  const test = useTestSource();
  const [name, setName] = useState(source?.name ?? type.title ?? "");
  const [config, setConfig] = useState<Settings>((source?.config ?? {}) as Settings);
  const [credentials, setCredentials] = useState<Settings>({});
  const [chosen, setChosen] = useState(
    audiences.find(({ scope, group }) => scope === source?.scope && group === (source.scopeId ?? ""))?.value ?? audiences[0].value,
  );
  const [mode, setMode] = useState<string>(source?.permissionMode ?? type.permissionModes?.[0] ?? "PERMISSION_MODE_SCOPE");
  const [refresh, setRefresh] = useState(String(source?.refreshFreqMinutes ?? 60));
  const settings = applying(type.settings ?? [], type.settings ?? [], config);
  const secrets = applying(type.credentials ?? [], type.settings ?? [], config);
  const failure = add.error ?? update.error ?? test.error;
  const metadata = failure instanceof ApiError ? failure.metadata : {};
  const configFaults = faultsOf(metadata, "connector.config");
  const credentialFaults = faultsOf(metadata, "connector.credentials");
  const faulty = [...faultyTitles(settings, configFaults), ...faultyTitles(secrets, credentialFaults)].join(", ");
  const sentConfig = entered(settings, config);
  const sentCredentials = entered(secrets, credentials);
  const hasCredentials = Object.keys(sentCredentials).length > 0;
  const needsFolder = Boolean(type.syncedBy) && !sentConfig[type.syncedBy ?? ""];
  const isReady = name.trim() !== "" && !needsFolder && isComplete(settings, config) && isComplete(secrets, credentials);
  const isPending = add.isPending || update.isPending;
  const [tested, setTested] = useState("");
  const [isAsking, setAsking] = useState(false);
  const values = (): ConnectorJson => ({
    name: name.trim(),
    config: sentConfig as NonNullable<ConnectorJson["config"]>,
    permissionMode: mode as PermissionModeJson,
    refreshFreqMinutes: Number(refresh),
    scope: (audiences.find(({ value }) => value === chosen) ?? audiences[0]).scope,
    scopeId: (audiences.find(({ value }) => value === chosen) ?? audiences[0]).group,
    ...(hasCredentials ? { credentials: sentCredentials as NonNullable<ConnectorJson["credentials"]> } : {}),
  });
  const addition = () => ({ ...values(), typeName: type.name ?? "" });
  const show = ({ id }: ConnectorJson) => navigate(`/sources/${id}`);
  const request = (): TestConnectorRequestJson => {
    const { config: settings, credentials: given, permissionMode } = values();
    return {
      ...(source?.id ? { id: source.id } : { typeName: type.name ?? "" }),
      ...(settings ? { config: settings } : {}),
      ...(given ? { credentials: given } : {}),
      ...(permissionMode ? { permissionMode } : {}),
    };
  };
  const failed = test.data?.filter(({ status }) => status === "CHECK_STATUS_FAILED") ?? [];
  const hasFailed = tested === JSON.stringify(request()) && (failed.length > 0 || test.isError);
  const submit = () => {
    if (!isReady || isPending) return;
    if (source) update.mutate(values(), { onSuccess: onSaved });
    else if (hasFailed) setAsking(true);
    else add.mutate(addition(), { onSuccess: show });
  };
  const tryIt = () => {
    setTested(JSON.stringify(request()));
    test.mutate(request());
  };
  const form = (
    <Form onSubmit={submit}>
      <FormSection title={t`Content`}>
        <TextField label={t`Name`} required maxLength={255} value={name} onChange={(event) => setName(event.target.value)} />
        <SettingFields fields={settings} values={config} faults={configFaults} onChange={setConfig} />
      </FormSection>
      {(secrets.length > 0 || type.signIn) && (
        <FormSection
          title={t`Access`}
          description={
            type.signIn &&
            (type.signInConfigured
              ? t`Leave this empty to sign in with your own account once the connector is added.`
              : t`Sign-in is not set up here. The operator of EchoMind has to configure an application for it.`)
          }
        >
          {source?.hasCredentials && <p>{t`Credentials are stored. Enter new ones to replace them.`}</p>}
          {source?.connectedAccount && source.signedInBy !== user.id && (
            <Notice tone="warn">
              {t`It reads with the account ${source.connectedAccount} of somebody else. If you change what it reads or who may read it, this sign-in is removed, and somebody has to sign in again.`}
            </Notice>
          )}
          <SettingFields fields={secrets} values={credentials} faults={credentialFaults} onChange={setCredentials} />
        </FormSection>
      )}
      <FormSection title={t`Visibility and schedule`}>
        <SelectField label={t`Visible to`} value={chosen} options={audiences} onChange={setChosen} />
        {modes.length > 1 && <SelectField label={t`Permissions`} value={mode} options={modes} onChange={setMode} />}
        <SelectField label={t`Read again`} value={refresh} options={schedules} onChange={setRefresh} />
      </FormSection>
      <FormActions outcome={failure ? <Notice tone="danger">{faulty ? t`Check what you entered for: ${faulty}` : failure.message}</Notice> : test.data && <CheckList checks={test.data} />}>
        <Button onClick={tryIt} disabled={!isReady || test.isPending}>
          {test.isPending && <Spinner />}
          <Trans>Test</Trans>
        </Button>
        <Button type="submit" variant="primary" disabled={!isReady || isPending}>
          {isPending && <Spinner />}
          {source ? t`Save` : t`Add connector`}
        </Button>
      </FormActions>
    </Form>
  );
  return (
    <>
      {form}
      {isAsking && (
        <ConfirmDialog
          title={t`Add the connector although its test failed?`}
          text={t`Nothing can be read until this is fixed: ${failed.map(({ name, message }) => serverWords(message || name)).join(" ") || (test.error?.message ?? "")}`}
          action={t`Add anyway`}
          onConfirm={async () => show(await add.mutateAsync(addition()))}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
