import { Anchor, Content, Portal, Root } from "@radix-ui/react-menu";
import { useRef, type ReactNode, type RefObject } from "react";
import * as library from "./menu-library";
import { MenuParts, MenuTrigger } from "./menu-parts";
import styles from "./Menu.module.css";

interface MenuSurfaceProps {
  trigger: RefObject<HTMLButtonElement | null>;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  side: "top" | "right" | "bottom";
  align: "start" | "end";
  children: ReactNode;
}

/** What a menu opens: it moves the focus in and back, and closes at a click elsewhere. */
export function MenuSurface({ trigger, isOpen, onOpenChange, side, align, children }: MenuSurfaceProps) {
  const isLeft = useRef(false);
  return (
    <Root open={isOpen} onOpenChange={onOpenChange} modal={false}>
      <Anchor virtualRef={trigger} />
      <Portal>
        <Content
          className={styles.menu}
          side={side}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          aria-label={trigger.current?.getAttribute("aria-label") ?? trigger.current?.textContent}
          onInteractOutside={(event) => {
            // The button closes the menu itself.
            if (event.target instanceof Node && trigger.current?.contains(event.target)) event.preventDefault();
            else isLeft.current = true;
          }}
          onCloseAutoFocus={(event) => {
            if (!isLeft.current) trigger.current?.focus();
            isLeft.current = false;
            event.preventDefault();
          }}
        >
          <MenuParts value={library}>
            <MenuTrigger value={trigger}>{children}</MenuTrigger>
          </MenuParts>
        </Content>
      </Portal>
    </Root>
  );
}
