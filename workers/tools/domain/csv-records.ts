/**
 * Text of a CSV file, in chunks, → records. RFC 4180 quoting, plus what real files do: quotes inside
 * unquoted fields are literal, text after a closing quote is kept, CR, LF and CRLF end a record.
 */

export interface CsvRecordReader {
  write(text: string): void
  /** The last record, when the file does not end with a line end. */
  end(): void
  /** Line (from 1) on which the field began whose quote is still open. */
  readonly openQuoteLine: number | undefined
}

/** Longer fields are cut: a forgotten quote must not take the rest of a gigabyte into memory. */
const FIELD_LIMIT = 1024 * 1024

/**
 * `onRecord` gets the fields and the line the record began on; the array is reused for the next record.
 * Lines that are wholly empty are no records.
 */
export function createCsvReader(delimiter: string, onRecord: (fields: readonly string[], line: number) => void): CsvRecordReader {
  const fields: string[] = []
  let field = ''
  let state: 'start' | 'plain' | 'quoted' | 'quote' = 'start'
  let line = 1
  let recordLine = 1
  let quoteLine: number | undefined
  let afterReturn = false
  const stop = delimiter.charCodeAt(0)

  const keep = (piece: string): void => {
    if (field.length < FIELD_LIMIT) field = field === '' ? piece : field + piece
  }
  const endField = (): void => {
    fields.push(field)
    field = ''
    state = 'start'
    quoteLine = undefined
  }
  const endRecord = (): void => {
    // With fields before it, an empty one at the end is a field: a delimiter was there.
    const empty = fields.length === 0 && field === '' && state === 'start'
    if (!empty) {
      endField()
      onRecord(fields, recordLine)
      fields.length = 0
    }
    state = 'start'
    line++
    recordLine = line
  }

  const write = (text: string): void => {
    let at = 0
    const length = text.length
    if (afterReturn) {
      afterReturn = false
      if (text.charCodeAt(0) === 10) at = 1
    }
    while (at < length) {
      if (state === 'quoted') {
        const quote = text.indexOf('"', at)
        const end = quote < 0 ? length : quote
        const piece = text.slice(at, end)
        for (let next = piece.indexOf('\n'); next >= 0; next = piece.indexOf('\n', next + 1)) line++
        keep(piece)
        at = end
        if (quote < 0) return
        state = 'quote'
        at++
        continue
      }
      const code = text.charCodeAt(at)
      if (state === 'quote') {
        if (code === 34) {
          keep('"')
          state = 'quoted'
          at++
          continue
        }
        state = 'plain'
      }
      if (state === 'start' && code === 34) {
        state = 'quoted'
        quoteLine = line
        at++
        continue
      }
      let end = at
      let character = code
      while (character !== stop && character !== 10 && character !== 13) {
        end++
        if (end >= length) break
        character = text.charCodeAt(end)
      }
      if (end > at) {
        keep(text.slice(at, end))
        state = 'plain'
        at = end
        if (at >= length) return
      }
      at++
      if (character === stop) {
        endField()
        continue
      }
      if (character === 13) {
        if (at < length) {
          if (text.charCodeAt(at) === 10) at++
        } else afterReturn = true
      }
      endRecord()
    }
  }

  return {
    write,
    end: () => {
      if (fields.length > 0 || field !== '' || state !== 'start') endRecord()
    },
    get openQuoteLine() {
      return state === 'quoted' ? quoteLine : undefined
    },
  }
}
