import * as Dropdown from "@radix-ui/react-dropdown-menu";
import { Check } from "lucide-react";
import { createContext, use, useRef, type ReactNode, type RefObject } from "react";
import styles from "./Menu.module.css";

/** The button of the menu that something is in. */
const Trigger = createContext<RefObject<HTMLButtonElement | null>>({ current: null });

interface MenuProps {
  /** The button that opens it. */
  trigger: ReactNode;
  children: ReactNode;
  side?: "top" | "right" | "bottom";
  align?: "start" | "end";
}

/** A menu of actions behind a button. */
export function Menu({ trigger, children, side = "bottom", align = "end" }: MenuProps) {
  const ref = useRef<HTMLButtonElement>(null);
  return (
    <Dropdown.Root modal={false}>
      <Dropdown.Trigger ref={ref} asChild>
        {trigger}
      </Dropdown.Trigger>
      <Dropdown.Portal>
        <Dropdown.Content className={styles.menu} side={side} align={align} sideOffset={6} collisionPadding={8}>
          <Trigger value={ref}>{children}</Trigger>
        </Dropdown.Content>
      </Dropdown.Portal>
    </Dropdown.Root>
  );
}

interface MenuItemProps {
  icon: ReactNode;
  children: ReactNode;
  onSelect: () => void;
  isDangerous?: boolean;
  isDisabled?: boolean;
}

/** An action of a menu. */
export function MenuItem({ icon, children, onSelect, isDangerous = false, isDisabled = false }: MenuItemProps) {
  const trigger = use(Trigger);
  const select = () => {
    // Focus the trigger, so that a dialog that opens now restores the focus to it instead of to this item.
    trigger.current?.focus();
    onSelect();
  };
  return (
    <Dropdown.Item className={styles.item} data-danger={isDangerous || undefined} disabled={isDisabled} onSelect={select}>
      {icon}
      {children}
    </Dropdown.Item>
  );
}

/** A link in a menu. */
export function MenuLink({ icon, href, download, children }: { icon: ReactNode; href: string; download?: boolean; children: ReactNode }) {
  return (
    <Dropdown.Item className={styles.item} asChild>
      <a href={href} {...(download ? { download: "" } : {})}>
        {icon}
        {children}
      </a>
    </Dropdown.Item>
  );
}

interface MenuChoiceProps<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}

/** One choice out of several in a menu. */
export function MenuChoice<T extends string>({ label, value, options, onChange }: MenuChoiceProps<T>) {
  return (
    <>
      <Dropdown.Label className={styles.label}>{label}</Dropdown.Label>
      <Dropdown.RadioGroup value={value} onValueChange={(next) => onChange(next as T)}>
        {options.map((option) => (
          <Dropdown.RadioItem key={option.value} value={option.value} className={styles.item}>
            <span className={styles.check}>
              <Dropdown.ItemIndicator>
                <Check size={16} />
              </Dropdown.ItemIndicator>
            </span>
            {option.label}
          </Dropdown.RadioItem>
        ))}
      </Dropdown.RadioGroup>
    </>
  );
}

interface MenuChecksProps<T extends string> {
  label: string;
  values: readonly T[];
  options: readonly { value: T; label: string; count?: string | undefined }[];
  /** Label of the item that clears the selection. */
  clear: string;
  onChange: (values: readonly T[]) => void;
}

/** A multiple choice in a menu that stays open. */
export function MenuChecks<T extends string>({ label, values, options, clear, onChange }: MenuChecksProps<T>) {
  const stay = (event: Event) => event.preventDefault();
  return (
    <>
      <Dropdown.Label className={styles.label}>{label}</Dropdown.Label>
      <div className={styles.checks}>
        {options.map((option) => (
          <Dropdown.CheckboxItem
            key={option.value}
            className={styles.item}
            checked={values.includes(option.value)}
            onCheckedChange={(isChecked) => onChange(isChecked ? [...values, option.value] : values.filter((value) => value !== option.value))}
            onSelect={stay}
          >
            <span className={styles.check}>
              <Dropdown.ItemIndicator>
                <Check size={16} />
              </Dropdown.ItemIndicator>
            </span>
            <span className={styles.name}>{option.label}</span>
            {option.count !== undefined && <small>{option.count}</small>}
          </Dropdown.CheckboxItem>
        ))}
      </div>
      {values.length > 0 && (
        <>
          <MenuSeparator />
          <Dropdown.Item className={styles.item} onSelect={() => onChange([])}>
            <span className={styles.check} />
            {clear}
          </Dropdown.Item>
        </>
      )}
    </>
  );
}

/** A line between groups of a menu. */
export function MenuSeparator() {
  return <Dropdown.Separator className={styles.separator} />;
}

/** Words at a menu's top. */
export function MenuHeader({ children }: { children: ReactNode }) {
  return <Dropdown.Label className={styles.header}>{children}</Dropdown.Label>;
}
