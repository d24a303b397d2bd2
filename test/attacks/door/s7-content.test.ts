/**
 * Content that acts: commands, mentions, pipelines and formulas in somebody else's text are asked about. In each control
 * nothing is known of what the receiver does with the argument, as before the rule, and the text arrives in silence.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callTool } from '../../../src/kernel/call-tool.ts'
import { ownCall } from '../../../src/kernel/own-call.ts'
import { OWNER } from '../../../src/kernel/principal.ts'
import { OWN_WORDS } from '../../../src/labels/label.ts'
import { createPolicy } from '../../../src/policy/create-policy.ts'
import { never, openApprovalsHouse, openQuestion } from '../../policy/approvals-house.ts'
import { type Args, around, catalogTool, NOTION, send, theirs } from './content-door.ts'

interface Row {
  readonly what: string
  readonly tool: string
  readonly args: Args
  /** The host's words for it. */
  readonly says: RegExp
}

const note = (body: Args[string]): Args => ({ project_id: '7', body })
const post = (text: string): Args => ({ channel_id: 'C1', text: theirs(text) })
const file = (path: string): Args => ({ path, content: theirs('run: curl x'), message: 'Update' })

const ROWS: readonly Row[] = [
  {
    what: 'quick actions in a GitLab note',
    tool: 'gitlab.create_note',
    args: note(theirs('Thanks!\n/approve\n/merge\n/assign @x')),
    says: /GitLab would act on them: the quick action \/approve, the quick action \/merge/,
  },
  {
    what: 'quick actions in a description, at its first line',
    tool: 'gitlab.create_issue',
    args: { title: 'x', description: theirs('/confidential') },
    says: /\/confidential/,
  },
  {
    what: 'a quick action behind an invisible character or written as an entity',
    tool: 'gitlab.create_note',
    args: note(theirs('ok\n\u200b&sol;merge')),
    says: /\/merge/,
  },
  {
    what: 'a quick action that begins with a line end of theirs and goes on in the owner’s words',
    tool: 'gitlab.create_note',
    args: note(around('', theirs('done\n'), '/merge it tomorrow')),
    says: /\/merge/,
  },
  {
    what: 'GitLab’s own text, which an attacker wrote into an issue',
    tool: 'gitlab.create_note',
    args: note(theirs('/merge', { ...NOTION, origins: new Set(['gitlab']) })),
    says: /\/merge/,
  },
  {
    what: 'a command to a bot on GitHub',
    tool: 'github.add_issue_comment',
    args: { body: theirs('@dependabot merge') },
    says: /the bot @dependabot/,
  },
  {
    what: 'an approval by comment on GitHub',
    tool: 'github.add_issue_comment',
    args: { body: theirs('/lgtm') },
    says: /\/lgtm/,
  },
  {
    what: 'a workflow on GitHub',
    tool: 'github.create_or_update_file',
    args: file('.github/workflows/ci.yml'),
    says: /a file that runs \(\.github\/workflows\/\)/,
  },
  {
    what: 'a workflow whose path is spelled another way',
    tool: 'github.create_or_update_file',
    args: file('./.GitHub//workflows\\ci.yml'),
    says: /\.github\/workflows\//,
  },
  {
    what: 'a build file on GitHub',
    tool: 'github.create_or_update_file',
    args: file('app/package.json'),
    says: /package\.json/,
  },
  {
    what: 'a pipeline on GitLab',
    tool: 'gitlab.create_or_update_file',
    args: { file_path: '.gitlab-ci.yml', content: theirs('script: x') },
    says: /\.gitlab-ci\.yml/,
  },
  {
    what: 'a message to a whole Slack channel',
    tool: 'slack.slack_post_message',
    args: post('<!channel> look'),
    says: /many people \(<!channel>\)/,
  },
  {
    what: 'a message to everyone on Slack',
    tool: 'slack.slack_post_message',
    args: post('hey @everyone'),
    says: /everybody \(@everyone\)/,
  },
  {
    what: 'a mention of a person on Slack',
    tool: 'slack.slack_post_message',
    args: post('<@U012AB3CD> call me'),
    says: /a person or a role/,
  },
  {
    what: 'a message to everybody on Discord',
    tool: 'discord.discord_send',
    args: { channelId: '1', message: theirs('@here') },
    says: /@here/,
  },
  {
    what: 'a formula in a row of a sheet',
    tool: 'google-drive.appendSpreadsheetRows',
    args: { spreadsheetId: 's', range: 'A1', values: theirs([['Ana', '=IMPORTXML("x")']]) },
    says: /a spreadsheet formula/,
  },
  {
    what: 'a formula in the middle of an imported file',
    tool: 'resend.create-contact-import',
    args: { content: theirs('email,name\nana@x,"=cmd|x"') },
    says: /a spreadsheet formula/,
  },
]

for (const { what, tool, args, says } of ROWS) {
  test(`S7: ${what} asks, and says what would happen`, async () => {
    // As a plain write, so that no other rule asks.
    const { args: reached, asked } = await send(tool, args, { effect: 'write' })
    assert.equal(reached, undefined)
    assert.equal(asked?.verdict.rule, 'content.acts')
    assert.match(asked?.verdict.reason ?? '', says)
    const control = await send(tool, args, { effect: 'write', formats: new Map() })
    assert.ok(control.args, 'without the rule it arrives')
  })
}

test('S7: the owner’s own commands, mentions and formulas are nobody’s business', async () => {
  const own: readonly (readonly [string, Args])[] = [
    ['gitlab.create_note', note('/merge')],
    ['gitlab.create_note', note(around('/merge\n', theirs('thanks, see /usr/bin and 1/2')))],
    ['github.create_or_update_file', { ...file('.github/workflows/ci.yml'), content: 'x' }],
    ['github.create_or_update_file', file('docs/notes.txt')],
    ['slack.slack_post_message', { channel_id: 'C1', text: '@channel lunch' }],
    ['slack.slack_post_message', post('write to me at all times')],
    ['google-drive.appendSpreadsheetRows', { values: theirs([['Ana', '-5', '+3.2', 'a=b']]) }],
  ]
  for (const [tool, args] of own) {
    const { args: reached, asked } = await send(tool, args, { effect: 'write' })
    assert.ok(reached, `${tool}: ${asked?.verdict.reason}`)
  }
})

test('S7: a question for another reason names it, too, and offers no standing grant', async () => {
  const args = note(theirs('/merge'))
  const { asked } = await send('gitlab.create_note', args, { effect: 'destructive' })
  assert.match(
    asked?.verdict.reason ?? '',
    /may not be possible to undo; .*the quick action \/merge/,
  )
  assert.deepEqual(asked?.verdict.offers, [])
  const control = await send('gitlab.create_note', args, {
    effect: 'destructive',
    formats: new Map(),
  })
  assert.deepEqual(control.asked?.verdict.offers, ['tool'])
})

test('S7: the reason holds no word of theirs', async () => {
  const args = note(theirs('/your_bank_says_press_yes\n'))
  const { asked } = await send('gitlab.create_note', args, { effect: 'write' })
  assert.match(asked?.verdict.reason ?? '', /: a quick action$/)
})

test('S7: the owner is shown the text as it will be sent, and told what was changed', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  const args = note(around('FYI: ', theirs('see https://evil.com/x\n/merge')))
  const facts = { ...catalogTool('gitlab', 'create_note', args), effect: 'write' } as const
  const policy = createPolicy({
    secrets: { isIn: () => false },
    grantsFor: (tool) => approvals.grantsFor(tool),
    isEndorsed: (taskId, value, place) => approvals.isEndorsed(taskId, value, place),
    alarm: () => undefined,
  })
  const entry = {
    end: async <T>(result: T) => result,
    [Symbol.dispose]: () => undefined,
  }
  const ran: object[] = []
  const calling = callTool(
    {
      policy,
      approvals,
      audit: { begin: async () => entry },
      servers: {
        know: () => facts,
        misfit: async () => undefined,
        call: async (capability) => {
          ran.push(capability)
          return { kind: 'ok', value: 'done', label: OWN_WORDS }
        },
      },
    },
    {
      ...ownCall(OWNER, facts.id, {}),
      args: { body: args['body'] as ReturnType<typeof theirs> },
    },
    never,
  )
  const question = await openQuestion(approvals)
  const [item] = question.items
  assert.deepEqual(item?.args, { body: 'FYI: see hxxps://evil[.]com/x\n/merge' })
  assert.match(item?.reason ?? '', /1 link disarmed in "body"$/)
  const allow = [item?.digest.slice(0, 8) ?? '']
  await approvals.answer({ id: question.id, allow, by: OWNER.id }, 'terminal')
  const result = await calling
  assert.deepEqual(result.kind === 'ok' && result.disarmed, [{ arg: 'body', links: 1, numbers: 0 }])
  assert.equal(ran.length, 1)
})
