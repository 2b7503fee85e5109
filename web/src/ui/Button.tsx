import type { ButtonHTMLAttributes, ReactNode } from "react";
import { classes } from "./classes";
import styles from "./Button.module.css";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: "primary" | "secondary" | "ghost" | "danger";
  size?: "md" | "sm";
}

/** A button with words on it. */
export function Button({ variant = "secondary", size = "md", className, type = "button", ...rest }: ButtonProps) {
  return <button type={type} className={classes(styles.button, styles[variant], styles[size], className)} {...rest} />;
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Its label for screen readers and its tooltip. */
  label: string;
  children: ReactNode;
}

/** A button with only an icon. It keeps the focus while it is disabled, because many are disabled by their own action.
*/
export function IconButton({ label, className, type = "button", disabled = false, onClick, ...rest }: IconButtonProps) {
  return (
    <button
      type={type}
      aria-label={label}
      aria-disabled={disabled || undefined}
      title={label}
      className={classes(styles.icon, className)}
      onClick={(event) => (disabled ? event.preventDefault() : onClick?.(event))}
      {...rest}
    />
  );
}
