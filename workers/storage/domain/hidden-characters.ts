/**
 * Characters that hide, reorder or turn text. The same as `visible-text.ts` shows when a person decides, and the selectors of rare forms
 * of Han characters besides, by which any bytes can be hidden in a text.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u
/** Joiners and selectors are a part of these, and of words of scripts that join their letters. */
const EMOJI =
  /\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?(?:\u200d\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?)+|\p{RGI_Emoji}|\p{Emoji}[\ufe0e\ufe0f]\u20e3?/gv
const JOINED =
  /(?<=[\p{Script=Arabic}\p{Script=Bengali}\p{Script=Devanagari}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Kannada}\p{Script=Khmer}\p{Script=Malayalam}\p{Script=Oriya}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}])[\u200c\u200d](?=\p{L})/gu

/** Tabs and line feeds are none. */
export function hasHiddenCharacters(text: string): boolean {
  return HIDDEN.test(
    text
      .replace(/[\t\n]/g, ' ')
      .replace(EMOJI, '')
      .replace(JOINED, ''),
  )
}
