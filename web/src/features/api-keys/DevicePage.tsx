import { Trans, useLingui } from "@lingui/react/macro";
import type { SyntheticEvent } from "react";
import { useState } from "react";
import { useDecideDeviceSignIn, useFindDeviceSignIn } from "@/data/device-sign-ins";
import type { DeviceSignInJson } from "@/gen/echomind/public/v1/device_sign_in_pb";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { formatRelative } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { Page } from "@/ui/Page";
import { showFailure } from "@/ui/toasts";
import styles from "./DevicePage.module.css";
import { ADMINISTER, SCOPES } from "./keys/scopes";

/** Signs in the command line of a machine, by the code that it shows. The code is typed, and never part of a link. */
export function DevicePage() {
  const { t } = useLingui();
  const [code, setCode] = useState("");
  const find = useFindDeviceSignIn();
  const decide = useDecideDeviceSignIn();
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    find.mutate(code, { onError: showFailure });
  };
  const decided = (approved: boolean) => decide.mutate({ userCode: code, approved }, { onError: showFailure });
  return (
    <Page title={t`Sign in a device`} section={t`Settings`} description={t`Type the code that the command line shows on the device.`}>
      {decide.isSuccess ? (
        <Notice tone="info">
          {decide.variables.approved
            ? t`${decide.data.clientName ?? ""} is signed in. You can close this page; the key is on the page of API keys.`
            : t`The sign-in was denied. The device gets no key.`}
        </Notice>
      ) : find.data ? (
        <Approval device={find.data} isBusy={decide.isPending} onDecide={decided} />
      ) : (
        <form className={styles.form} onSubmit={submit}>
          <TextField
            label={t`Code`}
            hint={t`8 letters, such as BCDF-GHJK`}
            required
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={20}
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
          <Button type="submit" variant="primary" disabled={code.trim() === "" || find.isPending}>
            <Trans>Continue</Trans>
          </Button>
        </form>
      )}
    </Page>
  );
}

interface ApprovalProps {
  device: DeviceSignInJson;
  isBusy: boolean;
  onDecide: (approved: boolean) => void;
}

/** What the reader approves or denies. */
function Approval({ device, isBusy, onDecide }: ApprovalProps) {
  const { t } = useLingui();
  const { clientName = "", address = "", scopes = [], days = 0, creationDate } = device;
  const isAdministering = scopes.includes(ADMINISTER);
  return (
    <section className={styles.form} aria-label={t`Device`}>
      <dl className={styles.facts}>
        <dt>{t`Device`}</dt>
        <dd>{clientName}</dd>
        <dt>{t`Address`}</dt>
        <dd>{address}</dd>
        <dt>{t`Started`}</dt>
        <dd>{formatRelative(creationDate)}</dd>
        <dt>{t`It may`}</dt>
        <dd>
          <ul>
            {SCOPES.filter(({ value }) => scopes.includes(value)).map(({ value, label, hint }) => (
              <li key={value}>
                {t(label)}: {t(hint)}
              </li>
            ))}
          </ul>
        </dd>
        <dt>{t`Until`}</dt>
        <dd>{t`${days} days from now`}</dd>
      </dl>
      <Notice tone={isAdministering ? "warn" : "info"}>
        {t`Approve only what you have started yourself, on this device. Anyone with the key can act as you.`}
      </Notice>
      <div className={styles.actions}>
        <Button variant="primary" disabled={isBusy} onClick={() => onDecide(true)}>
          <Trans>Approve</Trans>
        </Button>
        <Button disabled={isBusy} onClick={() => onDecide(false)}>
          <Trans>Deny</Trans>
        </Button>
      </div>
    </section>
  );
}
