/** What the inside of a menu needs of the menu around it. */
import { createContext, type RefObject } from "react";
import type * as MenuLibrary from "./menu-library";

/** The library's parts; there once the first menu was about to be opened. */
export const MenuParts = createContext<typeof MenuLibrary | undefined>(undefined);

/** The button of the menu that something is in. */
export const MenuTrigger = createContext<RefObject<HTMLButtonElement | null>>({ current: null });
