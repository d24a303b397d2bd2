/** Several streams of texts as one, each text as it comes. The next text of a stream is taken once the last was used. */
export async function* mergeTexts(...sources: AsyncIterable<string>[]): AsyncGenerator<string> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]())
  const waiting = new Map(iterators.map((iterator) => [iterator, nextOf(iterator)]))
  try {
    while (waiting.size > 0) {
      const { iterator, result } = await Promise.race(waiting.values())
      if (result.done === true) waiting.delete(iterator)
      else {
        yield result.value
        waiting.set(iterator, nextOf(iterator))
      }
    }
  } finally {
    // Not awaited: a stream that waits for its next text ends only when its own signal aborts.
    for (const iterator of iterators) void iterator.return?.()
  }
}

async function nextOf(
  iterator: AsyncIterator<string>,
): Promise<{ iterator: AsyncIterator<string>; result: IteratorResult<string> }> {
  return { iterator, result: await iterator.next() }
}
