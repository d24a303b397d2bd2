/** Which verbs people say for the verbs in names of tools. One row per verb of a name. Lists and look-ups only. Pure. */
import { stemWord } from './stem-word.ts'

const ROWS = `
  get: read show retrieve view fetch see display describe give open print check preview pull look tell
  read: get show open view see display print look fetch tell cat
  retrieve: get read show view fetch open see
  fetch: get read show load download open pull scrape grab
  view: show see open get read display
  show: see display get view
  describe: show explain get
  list: show enumerate display get view see give tell open ls
  search: find look lookup query google seek locate discover
  find: search look lookup query seek locate get list show
  query: search find ask look run select
  lookup: search find look
  count: tell
  create: make new add start insert generate register build post put write schedule file compose draft log begin plan
  new: open create make add start
  add: put create include append insert attach make
  append: add put insert write
  insert: add put write append
  generate: make create build
  update: edit change modify patch set adjust put alter replace revise correct rename
  edit: change update modify correct
  patch: change update edit modify
  put: set write store save create add upload
  set: change put make update
  delete: remove erase trash drop destroy forget purge wipe clear cancel
  remove: delete erase trash drop take forget
  cancel: abort stop call delete
  send: post message tell email mail notify write ping dm say announce
  post: send create write add make put publish tell say
  reply: answer respond write
  respond: accept decline answer reply rsvp
  comment: note
  move: rename put relocate transfer
  rename: move call change
  copy: duplicate clone
  duplicate: copy clone
  run: execute start trigger launch invoke
  execute: run query start launch perform
  evaluate: run execute
  trigger: start run launch
  start: begin launch run record
  stop: end halt finish
  share: give invite
  invite: add
  close: shut quit exit resolve end
  resolve: close finish solve
  complete: finish close end
  mark: set
  navigate: go visit open browse load
  select: choose pick
  take: capture make grab get create
  download: save get export fetch
  export: download save
  upload: attach put add
  write: save put store create
  save: write store keep put
  store: save keep remember put write
  remember: memorize note keep
  publish: release post
  scrape: read fetch get crawl extract
  crawl: scrape walk
  extract: get read fetch pull scrape
  validate: check verify
  verify: check validate
  check: verify test
  inspect: show check look view
  analyze: analyse explain examine check
  press: hit push type
  type: enter write fill
  fill: enter type complete
  rollback: roll revert undo restore
  restore: revert recover undo bring roll
  convert: turn change transform
  assign: give hand
  transfer: move hand
  resize: size make
  replace: change swap substitute
  ask: question
  echo: say repeat
  connect: join
  archive: shelve
  subscribe: follow watch
  manage: change
  merge: combine accept
  revoke: withdraw cancel remove
  log: record
  map: outline
  monitor: watch
`

/** Verbs of names that have no row, so that a name can be taken apart. */
const OTHERS = `fork approve unapprove protect unprotect lock unlock unarchive publish deploy click hover drag drop
  emulate toggle simulate compose import sync rotate revoke aggregate explain disconnect unsubscribe enable disable
  star pin unpin react attach detach link unlink submit sort filter format style apply reorder hide autoresize
  browse push commit mark login logout discover summarize translate listen play pause join leave kick ban promote`

const SAID: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  ROWS.trim()
    .split('\n')
    .map((row) => {
      const [verb = '', words = ''] = row.split(':')
      return [stemWord(verb.trim()), new Set(words.trim().split(' ').map(stemWord))]
    }),
)

const VERBS: ReadonlySet<string> = new Set([...SAID.keys(), ...OTHERS.split(/\s+/).map(stemWord)])

const SPOKEN: ReadonlySet<string> = new Set([
  ...VERBS,
  ...[...SAID.values()].flatMap((s) => [...s]),
])

/** Whether the stem can be the verb of a tool's name. */
export function isToolVerb(stem: string): boolean {
  return VERBS.has(stem)
}

/** Whether a command of a person can begin with the stem. */
export function isSpokenVerb(stem: string): boolean {
  return SPOKEN.has(stem)
}

/** How well the spoken verb fits the verb of a name, from 0 to 1. Both are stems. */
export function fitOfVerb(spoken: string, verb: string): number {
  if (spoken === verb) return 1
  return SAID.get(verb)?.has(spoken) === true ? 0.85 : 0
}
