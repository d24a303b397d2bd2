/** The directives that receivers obey, by the format of the text they stand in. Data only. */
import type { ContentFormat } from '../../text/content-format.ts'

export interface Directive {
  readonly format: ContentFormat
  /** A cheap test of the text as it is written: without a hit there is nothing to find. */
  readonly hint: RegExp
  readonly pattern: RegExp
  /** Fixed words, or a word of a fixed list: never what somebody else wrote. */
  readonly show: (match: RegExpExecArray) => string
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const COMMANDS = words(`
  add_contacts approve assign assign_reviewer award backport board_move cancel cc cherry_pick clear clone close
  confidential convert_to_ticket copy_metadata create_merge_request done draft due duplicate epic estimate hold invite_email
  iteration label lgtm link lock merge milestone move override parent_epic ping promote promote_to promote_to_incident
  publish ready reassign reassign_reviewer rebase relabel remove_parent reopen request_changes request_review retest
  retry run severity ship shrug spend submit_review subscribe tableflip tag target_branch test timeline title todo
  unapprove unassign unlabel unlink unlock unsubscribe weight zoom
`)
const BOTS =
  `dependabot renovate renovate-bot mergify mergifyio bors homu k8s-ci-robot copilot claude codex cursor devin
  coderabbitai gitlab-bot gitlabduo github-actions pre-commit-ci sweep-ai netlify vercel jules gemini-cli`
    .trim()
    .split(/\s+/)
/** Another script's letters look like these, but no receiver takes them for them: folding is enough. */
const EVERYBODY = 'channel|everyone|here|all|room|online|team'

export const DIRECTIVES: readonly Directive[] = [
  {
    format: 'quick-actions',
    hint: /\/|\u2215|\uff0f|&/,
    // The line end before it counts as part of it: foreign text may end a line before a word of the owner.
    pattern: /(?:^|[\n\r])[ \t>]{0,8}\/([a-z][a-z_-]{1,40})(?![\w/.-])/gi,
    show: ([, name = '']) =>
      COMMANDS.has(name.toLowerCase())
        ? `the quick action /${name.toLowerCase()}`
        : 'a quick action',
  },
  {
    format: 'quick-actions',
    hint: /@|\uff20|&/,
    pattern: new RegExp(`(?<![\\w.])@(${BOTS.join('|')})(?:\\[bot\\])?(?![\\w-])`, 'gi'),
    show: ([, name = '']) => `a command to the bot @${name.toLowerCase()}`,
  },
  {
    format: 'mentions',
    hint: /@|\uff20|&/,
    pattern: new RegExp(`(?<![\\w.])@(${EVERYBODY})(?![\\w-])`, 'gi'),
    show: ([, name = '']) => `a mention of everybody (@${name.toLowerCase()})`,
  },
  {
    format: 'mentions',
    hint: /<!|&/,
    pattern: /(?:<|&lt;?)!(channel|here|everyone|group|subteam)\b/gi,
    show: ([, name = '']) => `a mention of many people (<!${name.toLowerCase()}>)`,
  },
  {
    format: 'mentions',
    hint: /<@|\[~|&/,
    pattern: /(?:<|&lt;?)@[&!]?[UWBS0-9]|\[~[^\]\n]{1,80}\]/g,
    show: () => 'a mention of a person or a role',
  },
  {
    format: 'csv',
    hint: /[=+@-]|\uff1d|\uff0b|\uff0d|\uff20|&/,
    // A number with a sign is no formula.
    pattern:
      /(?:^|[\n\r,;\t|])[ "']{0,4}(?:[=@]|[+-](?![\d.,]+[ "']{0,4}(?:[\n\r,;\t|]|$)))(?=[^\s])/g,
    show: () => 'a spreadsheet formula',
  },
]
