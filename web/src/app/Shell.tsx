import { FileText, MessageSquare } from "lucide-react";
import { lazy, Suspense, type ReactNode } from "react";
import { Link, Redirect, Route, Switch, useLocation } from "wouter";
import { ChatPage } from "@/features/chat/ChatPage";
import { Logo } from "@/ui/Logo";
import { Spinner } from "@/ui/Spinner";
import { UserMenu } from "./UserMenu";
import styles from "./Shell.module.css";

const DocumentsPage = lazy(async () => ({ default: (await import("@/features/documents/DocumentsPage")).DocumentsPage }));
const DocumentPage = lazy(async () => ({ default: (await import("@/features/documents/DocumentPage")).DocumentPage }));

/** The frame around every page: navigation, and the page that the address names. */
export function Shell() {
  return (
    <div className={styles.shell}>
      <nav className={styles.rail} aria-label="Main">
        <Link href="/" className={styles.logo} aria-label="EchoMind, start page">
          <Logo size={30} />
        </Link>
        <RailLink href="/" section={/^\/(chat|$)/} icon={<MessageSquare size={20} />} label="Chat" />
        <RailLink href="/documents" section={/^\/documents/} icon={<FileText size={20} />} label="Documents" />
        <div className={styles.space} />
        <UserMenu />
      </nav>
      <div className={styles.content}>
        <Suspense fallback={<Spinner label="Loading the page" />}>
          <Switch>
            <Route path="/">
              <ChatPage sessionId={undefined} />
            </Route>
            <Route path="/chat/:id">{({ id }) => <ChatPage sessionId={id} />}</Route>
            <Route path="/documents">
              <DocumentsPage />
            </Route>
            <Route path="/documents/:id">{({ id }) => <DocumentPage key={id} id={id} />}</Route>
            <Route>
              <Redirect to="/" replace />
            </Route>
          </Switch>
        </Suspense>
      </div>
    </div>
  );
}

interface RailLinkProps {
  href: string;
  /** The addresses that belong to it. */
  section: RegExp;
  icon: ReactNode;
  label: string;
}

function RailLink({ href, section, icon, label }: RailLinkProps) {
  const [path] = useLocation();
  return (
    <Link href={href} className={styles.link} aria-current={section.test(path) ? "page" : undefined}>
      {icon}
      <span>{label}</span>
    </Link>
  );
}
