import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { Fragment } from "react";
import { formatTimestamp } from "@/ui/format";
import type { Property } from "./front-matter";
import styles from "./FormattedText.module.css";

const LABELS: Readonly<Record<string, MessageDescriptor>> = {
  subject: msg`Subject`,
  from: msg({ message: `From`, context: "e-mail" }),
  to: msg({ message: `To`, context: "e-mail" }),
  cc: msg`Cc`,
  date: msg`Date`,
  attachments: msg`Attachments`,
};

/** A formatted date of an e-mail's header; other values are returned unchanged. */
function dateOf(value: string): string {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? value : formatTimestamp(date.toISOString());
}

/** The part above a document's text, such as the headers of an e-mail. */
export function Properties({ properties }: { properties: readonly Property[] }) {
  const { t } = useLingui();
  return (
    <dl className={styles.properties}>
      {properties.map(([name, value]) => {
        const label = LABELS[name];
        return (
          <Fragment key={name}>
            <dt>{label ? t(label) : name}</dt>
            <dd>{name === "date" ? dateOf(value) : value}</dd>
          </Fragment>
        );
      })}
    </dl>
  );
}
