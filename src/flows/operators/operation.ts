/**
 * The pure operators as nodes of a flow: how their params are parsed, and how they are applied. Field and comparison
 * are written in the flow itself and are never references, so no untrusted value can choose them.
 */
import { z } from 'zod'
import type { Json, JsonObject } from '../../text/json.ts'
import type { Labelled } from '../../labels/labelled.ts'
import { COMPARISONS, type Comparison } from './compare.ts'
import { CONDITION_EXAMPLE, readConditions } from './read-condition.ts'
import { placeOf } from '../language/json-place.ts'
import {
  type Condition,
  count,
  extreme,
  type FieldPath,
  filter,
  first,
  joinText,
  jsonIn,
  last,
  linesIn,
  map,
  pick,
  select,
  sort,
  unique,
} from './operators.ts'
import { type OwnWords, resolve, type Scope } from '../language/references.ts'

export const OPERATORS = [
  'select',
  'filter',
  'map',
  'sort',
  'argmax',
  'argmin',
  'format',
  'count',
  'first',
  'last',
  'unique',
  'pick',
  'join',
  'json',
  'lines',
] as const
export type OperatorName = (typeof OPERATORS)[number]

/** A condition as written in the flow; its value may contain references. */
export interface WrittenCondition {
  readonly field: FieldPath
  readonly op: Comparison
  readonly value: Json
  readonly place: string
}

interface Where {
  readonly where: readonly WrittenCondition[]
}
interface By {
  readonly by: FieldPath
}

interface Fields {
  readonly select: Where
  readonly filter: Where
  readonly map: { readonly as: string; readonly to: Json }
  readonly sort: By & { readonly isDescending: boolean }
  readonly argmax: By
  readonly argmin: By
  readonly format: { readonly template: string }
  readonly count: object
  readonly first: object
  readonly last: object
  readonly unique: By
  readonly pick: { readonly fields: readonly string[] }
  readonly join: { readonly separator: string }
  readonly json: object
  readonly lines: object
}

export type Operation<K extends OperatorName = OperatorName> = {
  [P in K]: { readonly kind: P } & Fields[P]
}[K]

export type OperationReading =
  | { readonly kind: 'operation'; readonly operation: Operation }
  | { readonly kind: 'problem'; readonly place: string; readonly message: string }

export function isOperator(type: string): type is OperatorName {
  return (OPERATORS as readonly string[]).includes(type)
}

/** The path of a field within an item: `owner.id`, `tags[0]`; `.` or an empty text is the item itself. */
const FIELD = z
  .string()
  .max(300)
  .regex(
    /^(?:\.|(?:[\w-]+|\[\d{1,6}\])(?:\.[\w-]+|\[\d{1,6}\])*)?$/,
    'expected a field such as "owner.id"',
  )
  .transform((text): FieldPath => {
    return [...text.matchAll(/\[(\d+)\]|[\w-]+/g)].map(([word, index]) =>
      index === undefined ? word : Number(index),
    )
  })

const CONDITION = z.object({
  field: FIELD.default([]),
  op: z.enum(COMPARISONS).default('eq'),
  value: z.unknown().transform((value) => (value ?? null) as Json),
})
const NAME = z.string().regex(/^[\w-]{1,64}$/, 'expected a name')
/** The issue of one condition names its place; any other mistake is answered with an example. */
const CONDITIONS = z
  .preprocess(
    (where) => (typeof where === 'string' ? readConditions(where) : where),
    z.union([CONDITION.transform((one) => ({ one })), z.array(CONDITION).min(1).max(20)], {
      error: `expected a condition such as ${CONDITION_EXAMPLE}`,
    }),
  )
  .transform((where): readonly WrittenCondition[] =>
    'one' in where
      ? [{ ...where.one, place: 'where.value' }]
      : where.map((one, at) => ({ ...one, place: `where[${at}].value` })),
  )
const WHERE = z.object({ where: CONDITIONS })
const BY = z.object({ by: FIELD })
const NOTHING = z.object({})

const PARAMS: { readonly [K in OperatorName]: z.ZodType<Fields[K]> } = {
  filter: WHERE,
  select: WHERE,
  sort: BY.extend({ order: z.enum(['asc', 'desc']).default('asc') }).transform(({ by, order }) => ({
    by,
    isDescending: order === 'desc',
  })),
  argmax: BY,
  argmin: BY,
  unique: z.object({ by: FIELD.default([]) }),
  pick: z.object({ fields: z.array(z.string().max(200)).min(1).max(100) }),
  map: z
    .object({ as: NAME.default('item'), to: z.unknown() })
    .refine(({ to }) => to !== undefined, { path: ['to'], error: 'is missing' })
    .transform(({ as, to }) => ({ as, to: to as Json })),
  format: z.object({ template: z.string() }),
  join: z.object({ separator: z.string().max(100).default('\n') }),
  count: NOTHING,
  json: NOTHING,
  lines: NOTHING,
  first: NOTHING,
  last: NOTHING,
}

export function parseOperation(kind: OperatorName, params: JsonObject): OperationReading {
  const reading = PARAMS[kind].safeParse(params)
  if (reading.success) {
    return { kind: 'operation', operation: { kind, ...reading.data } as Operation }
  }
  const [issue] = reading.error.issues
  return { kind: 'problem', place: placeOf(issue?.path ?? []), message: issue?.message ?? '' }
}

interface Work {
  /** The resolved input; `format` ignores it and uses only its references. */
  readonly items: Labelled
  readonly scope: Scope
  readonly own: OwnWords
}

const APPLIED: { readonly [K in OperatorName]: (operation: Operation<K>, work: Work) => Labelled } =
  {
    filter: ({ where }, work) => filter(work.items, conditions(where, work)),
    select: ({ where }, work) => select(work.items, conditions(where, work)),
    sort: ({ by, isDescending }, { items }) => sort(items, by, isDescending),
    argmax: ({ by }, { items }) => extreme(items, by, true),
    argmin: ({ by }, { items }) => extreme(items, by, false),
    unique: ({ by }, { items }) => unique(items, by),
    pick: ({ fields }, { items }) => pick(items, fields),
    map: ({ as, to }, { items, scope, own }) =>
      map(items, (item) => resolve(to, withItem(scope, as, item), inside(own, 'to'))),
    format: ({ template }, { scope, own }) => resolve(template, scope, inside(own, 'template')),
    join: ({ separator }, { items, own }) => joinText(items, separator, own.label),
    count: (_, { items }) => count(items),
    json: (_, { items }) => jsonIn(items),
    lines: (_, { items }) => linesIn(items),
    first: (_, { items }) => first(items),
    last: (_, { items }) => last(items),
  }

export function applyOperation<K extends OperatorName>(
  operation: Operation<K>,
  work: Work,
): Labelled {
  return APPLIED[operation.kind](operation, work)
}

/** Adds one name to the scope, for the current item; `forEach` uses it too. */
export function withItem(scope: Scope, as: string, item: Labelled): Scope {
  return (path) => {
    const [root, ...steps] = path
    return root === as ? item.at(...steps) : scope(path)
  }
}

function conditions(
  where: readonly WrittenCondition[],
  { scope, own }: Work,
): readonly Condition[] {
  return where.map(({ field, op, value, place }) => ({
    field,
    op,
    value: resolve(value, scope, inside(own, place)),
  }))
}

function inside(own: OwnWords, name: string): OwnWords {
  return { ...own, place: own.place === '' ? name : `${own.place}.${name}` }
}
