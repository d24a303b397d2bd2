/**
 * Twenty tasks of the same kind over servers that no catalog knows: real tool lists, of which the owner took over what
 * the tools say of themselves, in one screen for each server. Answers that are no data are read by a model.
 */
import type { DayTask } from './day-house.ts'
import { type Answers, openServers, strangeServer, type DayServers } from './day-servers.ts'
import { call, pick, read, tell } from './nodes.ts'

const TEAM = '1180000000000000001'
const REPO = { owner: 'acme', repo: 'shop' }
const BASE = { baseId: 'appShop', tableId: 'tblOrders' }

/** Each is one question more, on the first day: the screen on which the owner takes its tools as they say they are. */
export const STRANGERS: readonly (readonly [id: string, list: string])[] = [
  ['agenda', 'google-calendar'],
  ['chat', 'discord-barry'],
  ['code', 'github-archived'],
  ['tracker', 'linear'],
  ['tables', 'airtable'],
]

export function openStrangeServers(): DayServers {
  return openServers(
    STRANGERS.map(([id, list]) => strangeServer(id, list)),
    ANSWERS,
  )
}

export function unknownDay(day: number): readonly DayTask[] {
  return [...looking(day), ...writing(day), ...between(day), ...changing(day)]
}

const span = (day: number) => ({
  timeMin: `2026-11-${15 + day}T00:00:00`,
  timeMax: `2026-11-${16 + day}T00:00:00`,
})

function looking(day: number): readonly DayTask[] {
  return [
    {
      wish: 'What is in my calendar today?',
      nodes: [
        call('events', 'agenda.list-events', { calendarId: 'primary', ...span(day) }),
        tell('answer', 'List the events', 'events.result'),
      ],
    },
    {
      wish: 'When am I free tomorrow?',
      nodes: [
        call('busy', 'agenda.get-freebusy', { calendars: [{ id: 'primary' }], ...span(day + 1) }),
        tell('answer', 'Say when there is time', 'busy.result'),
      ],
    },
    {
      wish: 'What was said in the team channel?',
      nodes: [
        call('said', 'chat.discord_read_messages', { channelId: TEAM, limit: 50 }),
        tell('answer', 'Summarize the discussion', 'said.result'),
      ],
    },
    {
      wish: 'Which issues of the shop are open?',
      nodes: [
        call('issues', 'code.list_issues', { ...REPO, state: 'open' }),
        tell('answer', 'List the issues', 'issues.result'),
      ],
    },
    {
      wish: 'What am I working on?',
      nodes: [
        call('issues', 'tracker.linear_searchIssues', { query: 'assignee:me' }),
        tell('answer', 'List my issues', 'issues.result'),
      ],
    },
    {
      wish: 'Which orders are late?',
      nodes: [
        call('orders', 'tables.list_records', { ...BASE, filterByFormula: '{Late}' }),
        tell('answer', 'List the orders', 'orders.result'),
      ],
    },
    {
      wish: 'What does the README of the first matching repository say?',
      nodes: [
        call('found', 'code.search_repositories', { query: 'acme shop' }),
        read('repo', 'Owner and name of the first repository', 'found.result', 'owner', 'name'),
        call('text', 'code.get_file_contents', {
          owner: '${repo.result.owner}',
          repo: '${repo.result.name}',
          path: 'README.md',
        }),
        tell('answer', 'Summarize the file', 'text.result'),
      ],
      said: { repo: { owner: 'acme', name: 'shop' } },
    },
    {
      wish: 'What does issue ENG-7 say?',
      nodes: [
        call('issue', 'tracker.linear_getIssueById', { id: 'ENG-7' }),
        tell('answer', 'Summarize the issue', 'issue.result'),
      ],
    },
  ]
}

function writing(day: number): readonly DayTask[] {
  return [
    {
      wish: 'Tell the team channel that I start at ten',
      nodes: [
        call('post', 'chat.discord_send', { channelId: TEAM, message: `Day ${day}: at ten` }),
      ],
    },
    {
      wish: 'Comment on issue 42 that I look into it',
      nodes: [
        call('comment', 'code.add_issue_comment', {
          ...REPO,
          issue_number: 42,
          body: `I look into it, day ${day}`,
        }),
      ],
    },
    {
      wish: 'Lunch with Kim on Friday at noon',
      nodes: [
        call('lunch', 'agenda.create-event', {
          calendarId: 'primary',
          summary: `Lunch with Kim ${day}`,
          start: '2026-11-20T12:00:00',
          end: '2026-11-20T13:00:00',
        }),
      ],
    },
    {
      wish: 'Comment on ENG-7: waits for the designer',
      nodes: [
        call('comment', 'tracker.linear_createComment', {
          issueId: 'ENG-7',
          body: `Waits for the designer, day ${day}`,
        }),
      ],
    },
    {
      wish: 'Note an order of three chairs',
      nodes: [
        call('order', 'tables.create_record', {
          ...BASE,
          fields: { Item: 'Chair', Count: 3 + day },
        }),
      ],
    },
  ]
}

function between(day: number): readonly DayTask[] {
  return [
    {
      wish: 'Post the open pull requests in the team channel, as every day',
      nodes: [
        call('pulls', 'code.list_pull_requests', { ...REPO, state: 'open' }),
        tell('digest', 'One line for each pull request', 'pulls.result'),
        call('post', 'chat.discord_send', { channelId: TEAM, message: '${digest.response}' }),
      ],
    },
    {
      wish: 'Make an issue of the fault that Kim reported in the channel',
      nodes: [
        call('said', 'chat.discord_read_messages', { channelId: TEAM, limit: 50 }),
        tell('report', 'Describe the fault', 'said.result'),
        call('make', 'tracker.linear_createIssue', {
          title: `A fault that Kim saw (${day})`,
          description: '${report.response}',
          teamId: 'team-mobile',
        }),
      ],
    },
    {
      wish: 'Block time in my calendar for the issue that is due next',
      nodes: [
        call('issues', 'tracker.linear_searchIssues', { query: 'due' }),
        tell('about', 'Name the issue', 'issues.result'),
        call('block', 'agenda.create-event', {
          calendarId: 'primary',
          summary: `Work, day ${day}`,
          description: '${about.response}',
          start: '2026-11-20T09:00:00',
          end: '2026-11-20T11:00:00',
        }),
      ],
    },
    {
      wish: 'Keep the list of late orders in a file',
      nodes: [
        call('orders', 'tables.list_records', { ...BASE, filterByFormula: '{Late}' }),
        tell('list', 'One line for each order', 'orders.result'),
        {
          id: 'keep',
          type: 'write-file',
          params: { path: `orders-${day}.md`, content: '${list.response}' },
        },
      ],
    },
  ]
}

function changing(day: number): readonly DayTask[] {
  return [
    {
      wish: 'Make an issue for the mobile team: the cart forgets coupons',
      nodes: [
        call('teams', 'tracker.linear_getTeams'),
        pick('mobile', 'teams.result.items', 'name', 'Mobile'),
        call('make', 'tracker.linear_createIssue', {
          title: `The cart forgets coupons (${day})`,
          teamId: '${mobile.result.id}',
        }),
      ],
    },
    {
      wish: 'Accept the invitation to the review',
      nodes: [
        call('events', 'agenda.search-events', {
          calendarId: 'primary',
          query: 'Review',
          ...span(day),
        }),
        read('review', 'The id of the review', 'events.result', 'id'),
        call('accept', 'agenda.respond-to-event', {
          calendarId: 'primary',
          eventId: '${review.result.id}',
          response: 'accepted',
        }),
      ],
      said: { review: { id: `review-${day}` } },
    },
    {
      wish: 'ENG-12 is done',
      nodes: [
        call('states', 'tracker.linear_getWorkflowStates', { teamId: 'team-mobile' }),
        pick('done', 'states.result.items', 'name', 'Done'),
        call('close', 'tracker.linear_updateIssue', {
          id: `ENG-${12 + day}`,
          stateId: '${done.result.id}',
        }),
      ],
    },
  ]
}

const ISSUE = { id: 'i-12', identifier: 'ENG-12', title: 'Coupons', state: { id: 's-1' } }
const RECORD = { id: 'rec0000000000001', fields: { Item: 'Chair', Count: 3 } }

const ANSWERS: Answers = {
  'agenda.list-events': () => '{"events":[{"id":"e1","summary":"Stand-up"}],"totalCount":1}',
  'agenda.get-freebusy': () => '{"calendars":{"primary":{"busy":[]}}}',
  'agenda.search-events': () => '{"events":[{"id":"review-1","summary":"Review"}]}',
  'chat.discord_read_messages': () => 'Kim: the export has been empty since Monday',
  'code.list_issues': () => [{ number: 42, title: 'Coupons' }],
  'code.list_pull_requests': () => [{ number: 43, title: 'Keep coupons' }],
  'code.search_repositories': () => ({ total_count: 1, items: [{ full_name: 'acme/shop' }] }),
  'code.get_file_contents': () => ({ name: 'README.md', content: 'A shop.' }),
  'tracker.linear_searchIssues': () => ({ items: [ISSUE] }),
  'tracker.linear_getIssueById': () => ISSUE,
  'tracker.linear_getTeams': () => ({ items: [{ id: 'team-mobile', name: 'Mobile', key: 'MOB' }] }),
  'tracker.linear_getWorkflowStates': () => ({
    items: [{ id: 's-9', name: 'Done', type: 'completed' }],
  }),
  'tracker.linear_createIssue': () => ISSUE,
  'tracker.linear_updateIssue': () => ISSUE,
  'tracker.linear_createComment': () => ({ id: 'c-1', body: 'x' }),
  'tables.list_records': () => ({ records: [RECORD] }),
  'tables.create_record': () => RECORD,
}
