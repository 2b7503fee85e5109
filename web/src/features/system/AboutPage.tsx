import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { BookOpen, Braces, FileCode } from "lucide-react";
import { OPENAPI_URL } from "@/api/routes";
import { aboutQuery } from "@/data/system";
import { addressOf } from "@/ui/base-path";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import styles from "./AboutPage.module.css";

/** The version of EchoMind, its licences, and links to its documentation. */
export function AboutPage() {
  const { t } = useLingui();
  const { data: about, error, refetch } = useQuery(aboutQuery);
  return (
    <Page title={t`About EchoMind`} section={t`Settings`}>
      <QueryView error={error} onRetry={refetch} isPending={!about} label={t`Loading`} />
      {about && (
        <>
          <p className={styles.version}>
            <Trans>
              Version {about.version}, licence {about.license}
            </Trans>
          </p>
          <ul className={styles.links}>
            <li>
              <a href={addressOf("/documents")}>
                <BookOpen size={16} aria-hidden /> <Trans>Guide: among your documents, and it answers questions</Trans>
              </a>
            </li>
            <li>
              <a href={addressOf("/docs")}>
                <Braces size={16} aria-hidden /> <Trans>API reference</Trans>
              </a>
            </li>
            <li>
              <a href={OPENAPI_URL}>
                <FileCode size={16} aria-hidden /> <Trans>OpenAPI description</Trans>
              </a>
            </li>
          </ul>
          <details className={styles.packages}>
            <summary>
              <Trans>Open-source software in EchoMind ({about.packages?.length ?? 0} packages)</Trans>
            </summary>
            <ul>
              {(about.packages ?? []).map(({ name, version, license }) => (
                <li key={name}>
                  <span>
                    {name} {version}
                  </span>
                  <span>{license || t`see the package`}</span>
                </li>
              ))}
            </ul>
          </details>
        </>
      )}
    </Page>
  );
}
