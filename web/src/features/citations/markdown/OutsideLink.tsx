import { Trans, useLingui } from "@lingui/react/macro";
import { useState, type ReactNode } from "react";
import { Button } from "@/ui/Button";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { classes } from "@/ui/classes";
import { withVisible } from "@/ui/invisible";
import buttonStyles from "@/ui/Button.module.css";
import styles from "./OutsideLink.module.css";

interface OutsideLinkProps {
  href: string;
  children: ReactNode;
}

/**
 * A link in an answer whose text hides where it leads. The model wrote the address, and a text that it has read may have
 * made it put what it knows into it: so there is no link to open, prefetch or drag before a person has seen the address.
 */
export function OutsideLink({ href, children }: OutsideLinkProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={styles.link} onClick={() => setOpen(true)}>
        {children}
      </button>
      {isOpen && <LinkDialog href={href} onClose={() => setOpen(false)} />}
    </>
  );
}

function LinkDialog({ href, onClose }: { href: string; onClose: () => void }) {
  const { t } = useLingui();
  const address = new URL(href, location.href);
  const host = address.host;
  return (
    <Dialog title={t`Open a page of ${host}?`} onClose={onClose}>
      <p>
        <Trans>
          The answer does not show where this link leads, and no source names its address. The address may contain parts of your conversation,
          which the page would receive.
        </Trans>
      </p>
      <p className={styles.address}>{withVisible(address.href)}</p>
      <DialogActions>
        <Button onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <a
          className={classes(buttonStyles.button, buttonStyles.primary, buttonStyles.md, styles.open)}
          href={address.href}
          target="_blank"
          rel="noopener noreferrer nofollow"
          onClick={onClose}
        >
          <Trans>Open</Trans>
        </a>
      </DialogActions>
    </Dialog>
  );
}
