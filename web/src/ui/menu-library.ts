/** The parts of the library of menus that are used inside of a menu. */
export { CheckboxItem, Item, ItemIndicator, Label, RadioGroup, RadioItem, Separator } from "@radix-ui/react-menu";
