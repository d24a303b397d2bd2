/**
 * Twenty ordinary tasks over services of the catalog. The owner's words are literals; everything else comes out of an
 * answer. A flow that runs every day names its channel by id, as it was set up; all else is looked up by name.
 */
import type { DayTask } from './day-house.ts'
import { CATALOG_ANSWERS, TEAM } from './catalog-answers.ts'
import { type DayServers, knownServer, openServers } from './day-servers.ts'
import { call, pick, read, tell } from './nodes.ts'

const REPO = { owner: 'acme', repo: 'shop' }

export function openCatalogServers(): DayServers {
  return openServers(
    [
      knownServer('google-drive', 'gdrive'),
      knownServer('resend', 'resend'),
      knownServer('slack', 'slack-zencoder'),
      knownServer('github', 'github-archived'),
      knownServer('linear', 'linear'),
      knownServer('notion', 'notion'),
      knownServer('brave-search', 'brave-search'),
      knownServer('fetch', 'fetch'),
      knownServer('filesystem', 'filesystem'),
    ],
    CATALOG_ANSWERS,
  )
}

export function catalogDay(day: number): readonly DayTask[] {
  return [...morning(day), ...writing(day), ...between(day), ...evening(day)]
}

function morning(day: number): readonly DayTask[] {
  return [
    {
      wish: 'What is in my calendar today?',
      nodes: [
        call('events', 'google-drive.getCalendarEvents', { timeMin: `2026-11-${15 + day}T00:00` }),
        tell('answer', 'List the events', 'events.result'),
      ],
    },
    {
      wish: 'What mail came in over night?',
      nodes: [
        call('mails', 'resend.list-received-emails', { limit: 20 }),
        tell('answer', 'Summarize each mail', 'mails.result'),
      ],
    },
    {
      wish: 'What was said in #team?',
      nodes: [
        call('channels', 'slack.slack_list_channels', { limit: 100 }),
        pick('team', 'channels.result.channels', 'name', 'team'),
        call('said', 'slack.slack_get_channel_history', { channel_id: '${team.result.id}' }),
        tell('answer', 'Summarize the discussion', 'said.result'),
      ],
    },
    {
      wish: 'Which issues of the shop are open?',
      nodes: [
        call('issues', 'github.list_issues', { ...REPO, state: 'open' }),
        tell('answer', 'List the issues', 'issues.result'),
      ],
    },
    {
      wish: 'What am I working on in Linear?',
      nodes: [
        call('issues', 'linear.linear_searchIssues', { query: 'assignee:me' }),
        tell('answer', 'List my issues', 'issues.result'),
      ],
    },
  ]
}

function writing(day: number): readonly DayTask[] {
  return [
    {
      wish: 'Tell #team that I start at ten',
      nodes: [
        call('channels', 'slack.slack_list_channels', { limit: 100 }),
        pick('team', 'channels.result.channels', 'name', 'team'),
        call('post', 'slack.slack_post_message', {
          channel_id: '${team.result.id}',
          text: `Day ${day}: I start at ten`,
        }),
      ],
    },
    {
      wish: 'Comment on issue 42 that I look into it',
      nodes: [
        call('comment', 'github.add_issue_comment', {
          ...REPO,
          issue_number: 42,
          body: `I look into it, day ${day}`,
        }),
      ],
    },
    {
      wish: 'Make an issue for the mobile team: the cart forgets coupons',
      nodes: [
        call('teams', 'linear.linear_getTeams'),
        pick('mobile', 'teams.result.items', 'name', 'Mobile'),
        call('make', 'linear.linear_createIssue', {
          title: `The cart forgets coupons (${day})`,
          teamId: '${mobile.result.id}',
        }),
      ],
    },
    {
      wish: 'Add a line to my meeting notes',
      nodes: [
        call('found', 'notion.API-post-search', { query: 'Meeting notes' }),
        call('append', 'notion.API-patch-block-children', {
          block_id: '${found.result.results[0].id}',
          children: [{ paragraph: { rich_text: [{ text: { content: `Hire a tester ${day}` } }] } }],
        }),
      ],
    },
    {
      wish: 'Lunch with Kim on Friday at noon',
      nodes: [
        call('lunch', 'google-drive.createCalendarEvent', {
          summary: `Lunch with Kim ${day}`,
          start: { dateTime: '2026-11-20T12:00:00' },
          end: { dateTime: '2026-11-20T13:00:00' },
        }),
      ],
    },
  ]
}

function between(day: number): readonly DayTask[] {
  return [
    {
      wish: 'What does the pricing document say?',
      nodes: [
        call('found', 'google-drive.search', { query: 'Pricing' }),
        read('file', 'The id of the first document', 'found.result', 'id'),
        call('text', 'google-drive.readGoogleDoc', { documentId: '${file.result.id}' }),
        tell('answer', 'Answer from the document', 'text.result'),
      ],
      said: { file: { id: '1AbCdEfGh' } },
    },
    {
      wish: 'Keep a summary of this article in Notion',
      nodes: [
        call('page', 'fetch.fetch_readable', { url: 'https://blog.example.com/testing' }),
        tell('gist', 'Summarize the article', 'page.result'),
        call('found', 'notion.API-post-search', { query: 'Reading list' }),
        call('keep', 'notion.API-post-page', {
          parent: { page_id: '${found.result.results[0].id}' },
          properties: { title: [{ text: { content: `An article on testing ${day}` } }] },
          children: [{ paragraph: { rich_text: [{ text: { content: '${gist.response}' } }] } }],
        }),
      ],
    },
    {
      wish: 'Make an issue of the customer’s mail about the broken export',
      nodes: [
        call('mails', 'resend.list-received-emails', { limit: 20 }),
        read('mail', 'The id of the mail about the export', 'mails.result', 'id'),
        call('whole', 'resend.get-received-email', { id: '${mail.result.id}' }),
        tell('report', 'Describe the fault', 'whole.result'),
        call('teams', 'linear.linear_getTeams'),
        call('make', 'linear.linear_createIssue', {
          title: `The export is broken (${day})`,
          description: '${report.response}',
          teamId: '${teams.result.items[0].id}',
        }),
      ],
      said: { mail: { id: '4ef9a417-02e9-4d39-ad75-9611e0fcc33c' } },
    },
    {
      wish: 'Write down in Notion what the team decided',
      nodes: [
        call('said', 'slack.slack_get_channel_history', { channel_id: TEAM, limit: 50 }),
        tell('decisions', 'List the decisions', 'said.result'),
        call('found', 'notion.API-post-search', { query: 'Decisions' }),
        call('keep', 'notion.API-post-page', {
          parent: { page_id: '${found.result.results[0].id}' },
          properties: { title: [{ text: { content: `Decisions of day ${day}` } }] },
          children: [
            { paragraph: { rich_text: [{ text: { content: '${decisions.response}' } }] } },
          ],
        }),
      ],
    },
    {
      wish: 'Post the open pull requests in #team, as every day',
      nodes: [
        call('pulls', 'github.list_pull_requests', { ...REPO, state: 'open' }),
        tell('digest', 'One line for each pull request', 'pulls.result'),
        call('post', 'slack.slack_post_message', {
          channel_id: TEAM,
          text: 'Open: ${digest.response}',
        }),
      ],
    },
  ]
}

function evening(day: number): readonly DayTask[] {
  return [
    {
      wish: 'ENG-12 is done',
      nodes: [
        call('states', 'linear.linear_getWorkflowStates', { teamId: 'team-mobile' }),
        pick('done', 'states.result.items', 'name', 'Done'),
        call('close', 'linear.linear_updateIssue', {
          id: `ENG-${12 + day}`,
          stateId: '${done.result.id}',
        }),
      ],
    },
    {
      wish: 'What is in my notes on taxes?',
      nodes: [
        call('file', 'filesystem.read_text_file', { path: '/notes/taxes.md' }),
        tell('answer', 'Summarize the notes', 'file.result'),
      ],
    },
    {
      wish: 'Keep the list of open issues in a file',
      nodes: [
        call('issues', 'github.list_issues', { ...REPO, state: 'open' }),
        tell('list', 'One line for each issue', 'issues.result'),
        {
          id: 'keep',
          type: 'write-file',
          params: { path: `issues-${day}.md`, content: '${list.response}' },
        },
      ],
    },
    {
      wish: 'Find a quiet restaurant near the office',
      nodes: [
        call('found', 'brave-search.brave_web_search', { query: 'quiet restaurant Lisbon' }),
        tell('answer', 'Recommend one', 'found.result'),
      ],
    },
    {
      wish: 'Answer the last message in #team: done',
      nodes: [
        call('said', 'slack.slack_get_channel_history', { channel_id: TEAM, limit: 1 }),
        call('reply', 'slack.slack_reply_to_thread', {
          channel_id: TEAM,
          thread_ts: '${said.result.messages[0].ts}',
          text: `Done, day ${day}`,
        }),
      ],
    },
  ]
}
