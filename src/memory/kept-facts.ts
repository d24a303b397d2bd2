/**
 * Facts, one sentence each. A fact about the same subject replaces the earlier one, in one statement of the store.
 * Nothing is kept unless the owner asked for it, and never a credential.
 */
import type { Fact, FactSource, NewFact, Remembered } from '../ports/memory-port.ts'
import type { Json } from '../text/json.ts'
import { Labelled } from '../labels/labelled.ts'
import { deliver } from '../labels/sink.ts'
import { restoreTree, storeTree } from '../labels/stored-label.ts'
import { looksSecret } from '../text/looks-secret.ts'
import { asksForSecret } from '../text/secret-name.ts'
import { createSerialQueue } from '../text/serial-queue.ts'
import { seenText } from '../text/untrusted-text.ts'
import { factKey } from './fact-key.ts'
import type { FactRow, MemoryDeps } from './memory-deps.ts'
import { isCredential, memoryFull, noSuchFact, notAFact, sameSubject } from './memory-errors.ts'
import { OWN_STORE } from './own-store.ts'
import { rankFacts } from './rank-facts.ts'
import { hideSpoken, tidyText } from './tidy-text.ts'

export const MOST_FACTS = 500
const LONGEST_FACT = 300
const LONGEST_MESSAGE = 1000

export class KeptFacts {
  readonly #deps: MemoryDeps
  readonly #serially = createSerialQueue()

  constructor(deps: MemoryDeps) {
    this.#deps = deps
  }

  async all(): Promise<readonly Fact[]> {
    return (await this.#deps.rows.facts()).map(readRow)
  }

  remember(fact: NewFact): Promise<Remembered> {
    return this.#serially(async () => {
      const row = this.#rowOf(fact)
      const before = await this.#deps.rows.facts()
      const replaced = before.find(({ key }) => key === row.key)
      if (!replaced && before.length >= MOST_FACTS) throw memoryFull(MOST_FACTS)
      await this.#note('memory.kept', { facts: 1, replaced: replaced !== undefined })
      const number = await this.#deps.rows.putFact(row)
      const kept = readRow({ ...row, number, usedAt: null })
      return { fact: kept, ...(replaced && { replaced: readRow(replaced) }) }
    })
  }

  edit(number: number, fact: NewFact): Promise<Remembered> {
    return this.#serially(async () => {
      const row = this.#rowOf(fact)
      const rows = await this.#deps.rows.facts()
      const before = rows.find((one) => one.number === number)
      if (!before) throw noSuchFact(number)
      const other = rows.find((one) => one.key === row.key && one.number !== number)
      if (other) throw sameSubject(other.number)
      await this.#note('memory.kept', { facts: 1, replaced: true })
      if (!(await this.#deps.rows.editFact(number, row))) throw noSuchFact(number)
      const { usedAt } = before
      return { fact: readRow({ ...row, number, usedAt }), replaced: readRow(before) }
    })
  }

  async relevant(words: string, limit: number): Promise<readonly Fact[]> {
    const { rows, now, log } = this.#deps
    const found = rankFacts(await rows.facts(), words).slice(0, limit)
    if (found.length > 0) {
      const numbers = found.map(({ number }) => number)
      const at = new Date(now()).toISOString()
      await rows.useFacts(numbers, at).catch((error: unknown) => {
        log.warn('The use of a fact was not noted', { error }) // the answer matters more
      })
    }
    return found.map(readRow)
  }

  #rowOf({ text, source }: NewFact): Omit<FactRow, 'number' | 'usedAt'> {
    const sentence = this.#sentenceOf(text)
    const { key } = factKey(sentence)
    const labels = text.tree.from
      ? { label: text.label, from: text.tree.from }
      : { label: text.label }
    return {
      key,
      text: sentence,
      labels: JSON.stringify(storeTree(labels)),
      source: JSON.stringify(this.#sourceOf(source)),
      keptAt: new Date(this.#deps.now()).toISOString(),
    }
  }

  #sentenceOf(text: Labelled): string {
    const opened = deliver(text, OWN_STORE)
    if (opened.kind === 'withheld') throw isCredential()
    if (typeof opened.value !== 'string') throw notAFact('it is not a text')
    const sentence = seenText(opened.value).replace(/\s+/g, ' ').trim()
    if (!/[\p{L}\p{N}]/u.test(sentence)) throw notAFact('it holds no word')
    if (this.#isSecret(sentence)) throw isCredential()
    if (sentence.length > LONGEST_FACT)
      throw notAFact(`it is longer than ${LONGEST_FACT} characters`)
    return sentence
  }

  /** Also `my wifi password is hunter2`: the subject says that the rest is a credential. */
  #isSecret(sentence: string): boolean {
    const { subject = '', value = sentence } = factKey(sentence)
    return (
      this.#deps.redactor.isIn(sentence) ||
      asksForSecret(subject) ||
      looksSecret('', value) ||
      hideSpoken(sentence) !== sentence
    )
  }

  #sourceOf({ channel, message, tool }: FactSource): Json {
    const said = tidyText(message, LONGEST_MESSAGE, this.#deps.redactor)
    return { channel, message: said, ...(tool && { tool: { ...tool } }) }
  }

  /** Says how many, never which: the audit log holds no content. */
  async #note(kind: 'memory.kept', details: { facts: number; replaced: boolean }): Promise<void> {
    const { audit, owner } = this.#deps
    await audit.appendDurable({ kind, principal: owner, details })
  }
}

function readRow({ number, text, labels, source, keptAt, usedAt }: FactRow): Fact {
  const { subject } = factKey(text)
  return {
    number,
    text: new Labelled(text, restoreTree(JSON.parse(labels))),
    ...(subject !== undefined && { subject }),
    source: JSON.parse(source) as FactSource,
    keptAt: Date.parse(keptAt),
    ...(usedAt !== null && { usedAt: Date.parse(usedAt) }),
  }
}
