import { Check } from "lucide-react";
import { cloneElement, use, useRef, useState, type KeyboardEvent, type ReactElement, type ReactNode } from "react";
import { lazyPart } from "./lazy-part";
import type * as MenuLibrary from "./menu-library";
import { MenuParts, MenuTrigger } from "./menu-parts";
import styles from "./Menu.module.css";

const MenuSurface = lazyPart(async () => (await import("./MenuSurface")).MenuSurface, { whenFailed: "nothing" });

interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement<object>;
  children: ReactNode;
  side?: "top" | "right" | "bottom";
  align?: "start" | "end";
}

/** A menu of actions behind a button. Its library is loaded when somebody comes near the first button. */
export function Menu({ trigger, children, side = "bottom", align = "end" }: MenuProps) {
  const ref = useRef<HTMLButtonElement>(null);
  const [isNear, setNear] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    setNear(true);
    setOpen(true);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    open();
  };
  const events = {
    onPointerEnter: () => setNear(true),
    onFocus: () => setNear(true),
    onClick: () => (isOpen ? setOpen(false) : open()),
    onKeyDown,
  };
  return (
    <>
      {cloneElement(trigger, { ref, "aria-haspopup": "menu", "aria-expanded": isOpen, "data-state": isOpen ? "open" : "closed", ...events } as object)}
      {isNear && (
        <MenuSurface trigger={ref} isOpen={isOpen} onOpenChange={setOpen} side={side} align={align}>
          {children}
        </MenuSurface>
      )}
    </>
  );
}

/** The library, inside of an open menu. */
function useParts(): typeof MenuLibrary {
  const parts = use(MenuParts);
  if (!parts) throw new Error("Outside of a menu");
  return parts;
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
  const { Item } = useParts();
  const trigger = use(MenuTrigger);
  const select = () => {
    // Focus the trigger, so that a dialog that opens now restores the focus to it instead of to this item.
    trigger.current?.focus();
    onSelect();
  };
  return (
    <Item className={styles.item} data-danger={isDangerous || undefined} disabled={isDisabled} onSelect={select}>
      {icon}
      {children}
    </Item>
  );
}

/** A link in a menu. */
export function MenuLink({ icon, href, download, children }: { icon: ReactNode; href: string; download?: boolean; children: ReactNode }) {
  const { Item } = useParts();
  return (
    <Item className={styles.item} asChild>
      <a href={href} {...(download ? { download: "" } : {})}>
        {icon}
        {children}
      </a>
    </Item>
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
  const { Label, RadioGroup, RadioItem, ItemIndicator } = useParts();
  return (
    <>
      <Label className={styles.label}>{label}</Label>
      <RadioGroup value={value} onValueChange={(next) => onChange(next as T)}>
        {options.map((option) => (
          <RadioItem key={option.value} value={option.value} className={styles.item}>
            <span className={styles.check}>
              <ItemIndicator>
                <Check size={16} />
              </ItemIndicator>
            </span>
            {option.label}
          </RadioItem>
        ))}
      </RadioGroup>
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
  const { Label, CheckboxItem, ItemIndicator, Item } = useParts();
  const stay = (event: Event) => event.preventDefault();
  return (
    <>
      <Label className={styles.label}>{label}</Label>
      <div className={styles.checks}>
        {options.map((option) => (
          <CheckboxItem
            key={option.value}
            className={styles.item}
            checked={values.includes(option.value)}
            onCheckedChange={(isChecked) => onChange(isChecked ? [...values, option.value] : values.filter((value) => value !== option.value))}
            onSelect={stay}
          >
            <span className={styles.check}>
              <ItemIndicator>
                <Check size={16} />
              </ItemIndicator>
            </span>
            <span className={styles.name}>{option.label}</span>
            {option.count !== undefined && <small>{option.count}</small>}
          </CheckboxItem>
        ))}
      </div>
      {values.length > 0 && (
        <>
          <MenuSeparator />
          <Item className={styles.item} onSelect={() => onChange([])}>
            <span className={styles.check} />
            {clear}
          </Item>
        </>
      )}
    </>
  );
}

/** A line between groups of a menu. */
export function MenuSeparator() {
  const { Separator } = useParts();
  return <Separator className={styles.separator} />;
}

/** Words at a menu's top. */
export function MenuHeader({ children }: { children: ReactNode }) {
  const { Label } = useParts();
  return <Label className={styles.header}>{children}</Label>;
}
