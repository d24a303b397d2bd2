/**
 * The words by which names of tools and arguments claim an effect. Lists only; `claim-of.ts` reads them. A word
 * on the list of reads lowers nothing by itself: the owner is asked.
 */
const wordsOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const READING = wordsOf(`
  get list search read fetch find query lookup look describe show view count check inspect retrieve browse preview
  status info stat stats tail head diff compare explain analyze analyse summarize validate whoami ping help
  lists gets reads returns shows scan crawl scrape extract map monitor ask reason research calculate
  snapshot screenshot wait
`)
/** Cannot be undone, or not by the owner alone: money, publication, deletion. */
const FINAL = wordsOf(`
  delete remove drop cancel destroy purge wipe revoke transfer erase truncate trash unlink uninstall terminate kill
  deactivate discard overwrite rollback pay charge purchase buy refund merge reset flush ban kick expire void clear
  abort run execute exec invoke deploy publish order book provision
`)
const CHANGING = wordsOf(`
  create update add set write edit insert append upload post put patch send reply comment invite assign unassign move
  rename copy duplicate upsert save store import sync enable disable start stop pause resume schedule reschedule
  share unshare subscribe unsubscribe follow unfollow like unlike react vote mark archive unarchive restore close
  reopen lock unlock pin unpin approve reject tag label attach detach link register rotate unpublish
  fork push commit submit generate fill click type press drag hover navigate resize emulate trigger toggle
  replace modify change configure install respond resolve fix star join leave promote transition forward
  draft log record apply make open manage handle convert download export
`)
/** Verbs that are nouns as well: after a reading verb (`get_comment`, `list_runs`) they change nothing. */
const NOUNS = wordsOf(`
  comment post message order run commit update deploy record log refund transfer reply star like vote fork schedule
  book label tag link store share draft import export patch change pin lock drop charge upload trigger type copy mark
  start close
`)
/** Arguments with which a tool is given something to send, keep or spend. */
const GIVEN = wordsOf(`
  body content amount recipient cc bcc payload html attachment message comment
`)
/** Arguments that hold something to run, or switch a change on. */
const RUN = wordsOf('sql command cmd code script statement shell expression function')
const SWITCHES = wordsOf('force confirm overwrite dry dryrun upsert delete create update replace')

type WordList = 'READING' | 'FINAL' | 'CHANGING' | 'NOUNS' | 'GIVEN' | 'RUN' | 'SWITCHES'

export const CLAIMED_WORDS: Readonly<Record<WordList, ReadonlySet<string>>> = {
  READING,
  FINAL,
  CHANGING,
  NOUNS,
  GIVEN,
  RUN,
  SWITCHES,
}
