/**
 * Questions in an ordinary day: twenty tasks over services of the catalog, and twenty over servers that no catalog
 * knows, on three days in a row, with an owner who takes every grant that is offered. Reads the real tool lists beside
 * the project, and measures nothing where they are absent.
 */
import { catalogDay, openCatalogServers } from './day/catalog-day.ts'
import { type DayTask, type DoneTask, openDayHouse } from './day/day-house.ts'
import { areListsHere, type DayServers } from './day/day-servers.ts'
import { isClaimedRead } from '../src/servers/tools/claim-of.ts'
import { openStrangeServers, STRANGERS, unknownDay } from './day/unknown-day.ts'
import type { Bar, BenchReport, Figure } from './report.ts'

const DAYS = [1, 2, 3]

interface MeasuredDays {
  readonly name: string
  /** Questions before the first task: one screen for each server of which the owner takes over what its tools say. */
  readonly screens: number
  /** The most questions on the first day, and on each later one. */
  readonly most: readonly [first: number, later: number]
  /** Tasks that take what one server said to another: each pair of servers is asked about once, and no less. */
  readonly crossing: number
  readonly days: readonly (readonly DoneTask[])[]
}

interface DayReport extends BenchReport {
  /** Every question as it was drawn, for the JSON file. */
  readonly measured: readonly MeasuredDays[]
}

export async function run(): Promise<DayReport> {
  if (!areListsHere) {
    process.stderr.write('cordon: warning: the real tool lists are not beside the project\n')
    return { figures: [], bars: [], measured: [] }
  }
  const known = await live(openCatalogServers(), catalogDay)
  const strange = await live(openStrangeServers(), unknownDay)
  const measured: readonly MeasuredDays[] = [
    { name: 'catalog', screens: 0, most: [4, 1], crossing: 3, days: known },
    { name: 'unknown', screens: STRANGERS.length, most: [9, 3], crossing: 3, days: strange },
  ]
  printTable(measured)
  return { figures: measured.flatMap(figuresOf), bars: measured.flatMap(barsOf), measured }
}

async function live(
  servers: DayServers,
  tasksOf: (day: number) => readonly DayTask[],
): Promise<readonly (readonly DoneTask[])[]> {
  await using house = await openDayHouse(servers)
  const days: (readonly DoneTask[])[] = []
  for (const day of DAYS) days.push(await house.live(tasksOf(day)))
  return days
}

function questionsOf(day: readonly DoneTask[]): number {
  return day.reduce((sum, { questions }) => sum + questions.length, 0)
}

/** Whether the name of a tool, written `server.tool`, says that it reads and nothing else. */
function claimsToRead(tool: string): boolean {
  return isClaimedRead({
    name: tool.slice(tool.indexOf('.') + 1),
    description: '',
    inputSchema: {},
  })
}

/** Questions about a read that call it a change, in the line that says what would be done. */
function misworded({ days }: MeasuredDays): number {
  const questions = days.flat().flatMap((task) => task.questions)
  return questions.filter(
    ({ tools, text }) => tools.some(claimsToRead) && /^\s*(?:\[\w+\] )?Change\b/m.test(text),
  ).length
}

function figuresOf(one: MeasuredDays): readonly Figure[] {
  const { name, screens, days } = one
  const calls = days.flat().reduce((sum, task) => sum + task.calls, 0)
  return [
    { name: `${name}: calls that reached a server, three days`, value: calls, unit: 'calls' },
    { name: `${name}: screens at connect`, value: screens, unit: 'questions' },
    {
      name: `${name}: questions of day 1 and screens at connect`,
      value: questionsOf(days[0] ?? []) + screens,
      unit: 'questions',
    },
  ]
}

function barsOf(one: MeasuredDays): readonly Bar[] {
  const { name, most, crossing, days } = one
  const later = days.slice(1).map(questionsOf)
  const finished = days.flat().filter(({ state }) => state === 'completed').length
  const [first = []] = days
  const questions = { unit: 'questions', kind: 'most' } as const
  return [
    {
      name: `${name}: tasks that finish`,
      value: finished,
      unit: 'tasks',
      kind: 'least',
      limit: days.flat().length,
    },
    {
      ...questions,
      name: `${name}: first day, after the screens at connect`,
      value: questionsOf(first),
      limit: most[0],
    },
    {
      ...questions,
      name: `${name}: most on a later day`,
      value: Math.max(...later),
      limit: most[1],
    },
    {
      name: `${name}: data that goes from server to server, asked about once`,
      value: first.flatMap((task) => task.questions).filter(isCrossing).length,
      unit: 'questions',
      kind: 'least',
      limit: crossing,
    },
    { ...questions, name: `${name}: reads asked as a change`, value: misworded(one), limit: 0 },
  ]
}

function isCrossing({ rules }: DoneTask['questions'][number]): boolean {
  return rules.some((rule) => rule.startsWith('flow'))
}

/** One line for each task that asked or did not finish, with what it was asked on which day. */
function printTable(measured: readonly MeasuredDays[]): void {
  const say = (text: string): void => void process.stdout.write(`${text}\n`)
  for (const { name, screens, days } of measured) {
    const counts = days.map((day) => questionsOf(day)).join(', ')
    say(`\n  ${name}: ${counts} questions on days 1, 2, 3; ${screens} screens at connect`)
    for (const [at, tasks] of days.entries()) {
      for (const line of tasks.flatMap(linesOf)) say(`    day ${at + 1}  ${line}`)
    }
  }
}

function linesOf({ wish, questions, state }: DoneTask): readonly string[] {
  const asked = questions.map(({ tools, rules, taken }) => {
    const grant = taken ? `took ${taken}` : 'nothing offered'
    return `${wish}: ${tools.join(', ')} (${rules.join(', ')}; ${grant})`
  })
  return state === 'completed' ? asked : [...asked, `${wish}: ${state}`]
}
