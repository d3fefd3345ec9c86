/**
 * Text as it must be shown when a person decides about it: nothing may hide, reorder or pose as
 * something else. What is invisible or a look-alike becomes `⟨U+XXXX⟩`; ordinary text of any
 * language stays as it is.
 */

/** Letters of other scripts that look like ASCII ones, when they stand in a word that has ASCII letters. */
const LOOK_ALIKES = new Set([...'аеорсухіјѕһԁԛԝոսցбАВЕКМНОРСТУХЅІЈԌᎪᏴᏟᎠᎬᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᏔᏃαορνικυϲΑΒΕΖΗΙΚΜΝΟΡΤΥΧ'])
/** Signs that look like ones with a meaning to a shell or a path, and are not those. */
const LOOK_ALIKE_SIGNS = new Set([
  ...'\u037e\u01c3\u02bc\u02b9\u0589\u05c3\u2024\uff0e\u2044\u2215\u29f8\u29f5\u2216\u2223\u01c0\u2236\u02d0\ua789\u2010\u2011\u2012\u2212\u02d7\u02c8\u055a\u1400\u275c',
])
/** Of no own width, or of none that is known. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u034f\u17b4\u17b5\ufe00-\ufe0f]/u
const ODD_SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f]/u

/** `keepLines` leaves line feeds and tabs as they are (a script, a diff); without it they are shown too (a path). */
export function visibleText(text: string, keepLines = true): string {
  let shown = ''
  // A CR before a LF is an ordinary line end; alone it would let a terminal overwrite the line.
  const lines = keepLines ? text.replace(/\r\n/g, '\n') : text
  for (const word of lines.split(/([^\p{L}\p{N}\p{M}_-]+)/u)) {
    const mixed = /[A-Za-z]/.test(word)
    for (const character of word)
      shown += mustShow(character, mixed, keepLines)
        ? `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
        : character
  }
  return shown
}

/** Whether the text as written and as shown differ: a reason to ask. */
export function hasHiddenText(text: string): boolean {
  return visibleText(text) !== text.replace(/\r\n/g, '\n')
}

function mustShow(character: string, mixedWord: boolean, keepLines: boolean): boolean {
  if (character === '\n' || character === '\t') return !keepLines
  // Joiners are part of emoji and of some scripts' words, but hide in a word of ASCII letters.
  if (character === '\u200d' || character === '\ufe0f') return mixedWord
  if (INVISIBLE.test(character) || ODD_SPACE.test(character) || LOOK_ALIKE_SIGNS.has(character)) return true
  if (mixedWord && LOOK_ALIKES.has(character)) return true
  if (character <= '\u007f') return false
  // Compatibility forms of ASCII letters and digits: full-width, mathematical, Roman numerals, circled.
  return /^[A-Za-z0-9]+$/.test(character.normalize('NFKC'))
}
