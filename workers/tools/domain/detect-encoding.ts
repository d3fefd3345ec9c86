/** Guesses how a file's bytes are to be read, from a sample of its beginning. */

export type TextEncodingName = 'utf-8' | 'utf-16le' | 'utf-16be' | 'gbk' | 'shift_jis' | 'windows-1252'
export interface DetectedText {
  readonly encoding: TextEncodingName
  /** Bytes of the byte order mark; 0 without one. */
  readonly bomLength: number
}

/** @returns 'binary' for what is no text. `whole` says that the sample is the entire file. */
export function detectEncoding(sample: Uint8Array, whole: boolean): DetectedText | 'binary' {
  if (sample[0] === 0xef && sample[1] === 0xbb && sample[2] === 0xbf) return { encoding: 'utf-8', bomLength: 3 }
  if (sample[0] === 0xff && sample[1] === 0xfe && !(sample[2] === 0 && sample[3] === 0)) return { encoding: 'utf-16le', bomLength: 2 }
  if (sample[0] === 0xfe && sample[1] === 0xff) return { encoding: 'utf-16be', bomLength: 2 }
  const zeros = countZeros(sample)
  if (zeros.even + zeros.odd > 0) {
    // UTF-16 without a mark: text of mostly ASCII has a zero in every second byte, always on the same side.
    const half = sample.length / 2
    if (zeros.odd > half * 0.4 && zeros.even < half * 0.02) return { encoding: 'utf-16le', bomLength: 0 }
    if (zeros.even > half * 0.4 && zeros.odd < half * 0.02) return { encoding: 'utf-16be', bomLength: 0 }
    return 'binary'
  }
  if (controlShare(sample) > 0.1) return 'binary'
  if (isUtf8(sample, whole)) return { encoding: 'utf-8', bomLength: 0 }
  const chinese = scoreGbk(sample)
  const japanese = scoreShiftJis(sample)
  if (chinese < 0.7 && japanese < 0.7) return { encoding: 'windows-1252', bomLength: 0 }
  return { encoding: japanese > chinese ? 'shift_jis' : 'gbk', bomLength: 0 }
}

/** Whether the bytes are UTF-8; with `whole` false a character cut off at the end is forgiven. */
export function isUtf8(bytes: Uint8Array, whole: boolean): boolean {
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at] as number
    if (lead < 0x80) {
      at++
      continue
    }
    const length = lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0
    if (length === 0) return false
    for (let offset = 1; offset < length; offset++) {
      if (at + offset >= bytes.length) return !whole
      const next = bytes[at + offset] as number
      const lowest = offset > 1 ? 0x80 : lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
      const highest = offset > 1 ? 0xbf : lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
      if (next < lowest || next > highest) return false
    }
    at += length
  }
  return true
}

function countZeros(sample: Uint8Array): { even: number; odd: number } {
  const zeros = { even: 0, odd: 0 }
  for (let at = 0; at < sample.length; at++) if (sample[at] === 0) zeros[at % 2 === 0 ? 'even' : 'odd']++
  return zeros
}

function controlShare(sample: Uint8Array): number {
  let controls = 0
  for (const byte of sample) if (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13 && byte !== 12 && byte !== 27) controls++
  return sample.length === 0 ? 0 : controls / sample.length
}

/** Share of the non-ASCII characters that are common in Chinese text; 0 when the bytes are not GBK. */
function scoreGbk(bytes: Uint8Array): number {
  let common = 0
  let all = 0
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] as number
    if (lead < 0x80) continue
    const trail = bytes[at + 1]
    if (trail === undefined) break
    all++
    if (lead === 0x80 || lead === 0xff || trail < 0x40 || trail === 0x7f || trail === 0xff) {
      // GB 18030 has four-byte characters: a digit, a lead and a digit follow.
      const fourBytes =
        trail >= 0x30 && trail <= 0x39 && (bytes[at + 2] ?? 0) >= 0x81 && (bytes[at + 3] ?? 0) >= 0x30 && (bytes[at + 3] ?? 0) <= 0x39
      if (!fourBytes) return 0
      at += 3
      continue
    }
    // Level one and two of GB 2312, and its signs.
    if (((lead >= 0xb0 && lead <= 0xf7) || (lead >= 0xa1 && lead <= 0xa3)) && trail >= 0xa1) common += lead <= 0xd7 ? 1 : 0.8
    at++
  }
  return all === 0 ? 0 : common / all
}

/** Share of the non-ASCII characters that are common in Japanese text; 0 when the bytes are not Shift-JIS. */
function scoreShiftJis(bytes: Uint8Array): number {
  let common = 0
  let all = 0
  let kana = 0
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] as number
    if (lead < 0x80) continue
    all++
    if (lead >= 0xa1 && lead <= 0xdf) {
      // Half-width kana: rare in files of today, and what Chinese bytes look like.
      common += 0.3
      continue
    }
    const trail = bytes[at + 1]
    if (trail === undefined) break
    if (lead === 0x80 || lead === 0xa0 || lead > 0xfc || trail < 0x40 || trail === 0x7f || trail > 0xfc) return 0
    if ((lead === 0x82 && trail >= 0x9f) || (lead === 0x83 && trail <= 0x96)) kana++
    if (lead === 0x81 || lead === 0x82 || lead === 0x83 || (lead >= 0x88 && lead <= 0x9f) || (lead >= 0xe0 && lead <= 0xea)) common++
    at++
  }
  // Japanese prose without any kana does not occur; Chinese bytes read this way have hardly any.
  return all === 0 || kana / all < 0.1 ? 0 : common / all
}
