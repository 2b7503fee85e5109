/** Characters that show nothing, by their codes: fillers, zero-width and directional characters, variation selectors, tags. */
const INVISIBLE = [
  [0xad],
  [0x34f],
  [0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff],
  [0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
] as const;
const JOINER = 0x200d;
const OF_EMOJI = 0xfe0f;
const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\u{fe0f}#*0-9]$/u;

/** Returns a text in which characters that show nothing are named by their code, such as ⟨U+200B⟩: a text may hide in them. */
export function withVisible(text: string): string {
  let shown = "";
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const isPartOfEmoji = (code === JOINER || code === OF_EMOJI) && EMOJI.test(shown);
    shown += isPartOfEmoji || !isInvisible(code) ? character : `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  }
  return shown;
}

function isInvisible(code: number): boolean {
  return INVISIBLE.some(([first, last = first]) => code >= first && code <= last);
}
