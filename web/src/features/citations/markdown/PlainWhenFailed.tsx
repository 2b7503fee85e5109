import { Component, type ReactNode } from "react";
import styles from "./Markdown.module.css";

interface PlainWhenFailedProps {
  text: string;
  children: ReactNode;
}

/** Shows a text as it was written when it cannot be rendered: no answer may take the page with all others away. */
export class PlainWhenFailed extends Component<PlainWhenFailedProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidUpdate({ text }: PlainWhenFailedProps) {
    // A text that is still being written may be right when there is more of it.
    if (this.state.hasFailed && text !== this.props.text) this.setState({ hasFailed: false });
  }

  override render() {
    return this.state.hasFailed ? <p className={styles.plain}>{this.props.text}</p> : this.props.children;
  }
}
