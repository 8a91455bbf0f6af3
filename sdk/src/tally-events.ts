export interface StreamEvent {
  readonly event: string
  readonly data: string
}

/** Parses server-sent events from text that may be cut anywhere. */
export class EventReader {
  #unread = ''

  /** The events that this piece completes. */
  take(piece: string): StreamEvent[] {
    const text = (this.#unread + piece).replace(/\r\n/g, '\n')
    const blocks = text.split('\n\n')
    this.#unread = blocks.pop() ?? ''
    return blocks.flatMap(eventIn)
  }
}

/** None in a comment. */
function eventIn(block: string): StreamEvent[] {
  const fields: Record<string, string> = {}
  for (const [, name = '', value] of block.matchAll(/(?:^|\n)(\w+):? ?(.*)/g))
    fields[name] = name === 'data' && name in fields ? `${fields[name]}\n${value}` : (value ?? '')
  const { event = 'message', data } = fields
  return data === undefined ? [] : [{ event, data }]
}
