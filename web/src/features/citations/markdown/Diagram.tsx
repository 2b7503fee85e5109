import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { addressOf } from "@/ui/base-path";
import { Button } from "@/ui/Button";
import { CopyButton } from "@/ui/CopyButton";
import { useIsDark } from "@/ui/theme";
import { useLasting } from "@/ui/use-lasting";
import { CodeBlock } from "./CodeBlock";
import styles from "./Markdown.module.css";

/** Timeout of rendering, once the frame with its library is loaded. */
const DRAWN_WITHIN_MS = 3_000;
/** Height of a diagram before it is known, and maximum height. */
const FIRST_HEIGHT = 160;
const MAX_HEIGHT = 2_000;

/** Messages of the frame (`public/sandbox/diagram.js`). */
type Message = { kind: "ready" } | { kind: "drawn"; height: number } | { kind: "failed"; reason: string };

/** A Mermaid diagram, drawn in a frame without access to the page; its code if it cannot be drawn. */
export default function Diagram({ code }: { code: string }) {
  const { t } = useLingui();
  const isDark = useIsDark();
  const [isSourceShown, showSource] = useState(false);
  const [failure, setFailure] = useState<string>();
  if (failure !== undefined) {
    return (
      <>
        <CodeBlock language="mermaid" code={code} isWhole />
        <p className={styles.diagramNote}>{failure ? t`The diagram could not be drawn: ${failure}` : t`The diagram could not be drawn.`}</p>
      </>
    );
  }
  return (
    <figure className={styles.code} aria-label={t`Diagram`}>
      <figcaption className={styles.codeHead}>
        <span>
          <Trans>Diagram</Trans>
        </span>
        <span className={styles.diagramActions}>
          <Button size="sm" variant="ghost" aria-pressed={isSourceShown} onClick={() => showSource(!isSourceShown)}>
            <Trans>View source</Trans>
          </Button>
          <CopyButton label={t`Copy code`} className={styles.copy} text={() => code} />
        </span>
      </figcaption>
      {isSourceShown ? (
        // A long line scrolls, so the block must be reachable by keyboard.
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <pre tabIndex={0}>
          <code>{code}</code>
        </pre>
      ) : (
        <DiagramFrame code={code} isDark={isDark} onFailed={setFailure} />
      )}
    </figure>
  );
}

interface DiagramFrameProps {
  code: string;
  isDark: boolean;
  /** Called with the reason if it cannot be drawn; empty if unknown. */
  onFailed: (reason: string) => void;
}

function DiagramFrame({ code, isDark, onFailed }: DiagramFrameProps) {
  const { t } = useLingui();
  const ref = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(0);
  const [isLoaded, setLoaded] = useState(false);
  const [isReady, setReady] = useState(false);
  const isLate = useLasting(isLoaded && height === 0, DRAWN_WITHIN_MS);
  useEffect(() => {
    if (isLate) onFailed("");
  }, [isLate, onFailed]);
  // Before the frame can load, so that none of its messages is missed.
  useLayoutEffect(() => {
    const onMessage = ({ source, origin, data }: MessageEvent<Message>) => {
      const frame = ref.current?.contentWindow;
      if (!frame || source !== frame || origin !== "null") return;
      if (data.kind === "ready") setReady(true);
      else if (data.kind === "drawn") setHeight(Math.min(data.height, MAX_HEIGHT));
      else onFailed(data.reason);
    };
    window.addEventListener("message", onMessage);
    return () => window.removeEventListener("message", onMessage);
  }, [onFailed]);
  useEffect(() => {
    // A frame with an opaque origin requires "*" as the target origin.
    if (isReady) ref.current?.contentWindow?.postMessage({ code, isDark }, "*");
  }, [isReady, code, isDark]);
  return (
    <div className={styles.diagram} aria-busy={height === 0}>
      <iframe
        ref={ref}
        title={t`Diagram`}
        src={addressOf("/sandbox/diagram.html")}
        sandbox="allow-scripts"
        loading="lazy"
        style={{ height: height || FIRST_HEIGHT, colorScheme: isDark ? "dark" : "light", visibility: height ? "visible" : "hidden" }}
        onLoad={() => setLoaded(true)}
      />
    </div>
  );
}
