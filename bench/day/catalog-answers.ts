/** The answers of the catalog's services in a day, each in the form of its own API. Data only. */
import type { Answers } from './day-servers.ts'

/** The channel of the team. */
export const TEAM = 'C0TEAM0001'

const ISSUE = { id: 1, number: 42, state: 'open', title: 'Coupons', user: { login: 'kim' } }
const page = (id: string) => ({ object: 'list', results: [{ object: 'page', id }] })

export const CATALOG_ANSWERS: Answers = {
  'google-drive.getCalendarEvents': () => '09:00 Stand-up\n14:00 Review with Kim',
  'google-drive.search': () => 'Found 1 files:\nPricing (document) ID: 1AbCdEfGh',
  'google-drive.readGoogleDoc': () => 'The price is nine euros a month.',
  'resend.list-received-emails': () =>
    'From: customer@shop.example Subject: Export ID: 4ef9a417-02e9-4d39-ad75-9611e0fcc33c',
  'resend.get-received-email': () => 'The export has been empty since Monday.',
  'slack.slack_list_channels': () => ({
    ok: true,
    channels: [
      { id: TEAM, name: 'team' },
      { id: 'C0ALL00001', name: 'all' },
    ],
    response_metadata: { next_cursor: '' },
  }),
  'slack.slack_get_channel_history': () => ({
    ok: true,
    messages: [{ type: 'message', user: 'U0KIM00001', ts: '1763287200.000100', text: 'Ship it' }],
  }),
  'slack.slack_post_message': () => ({ ok: true, channel: TEAM, ts: '1763290000.000200' }),
  'slack.slack_reply_to_thread': () => ({ ok: true, channel: TEAM, ts: '1763290000.000300' }),
  'github.list_issues': () => [ISSUE],
  'github.list_pull_requests': () => [{ ...ISSUE, number: 43, title: 'Keep coupons' }],
  'github.add_issue_comment': () => ({ id: 77 }),
  'linear.linear_searchIssues': () => ({
    items: [{ id: 'i-12', identifier: 'ENG-12', title: 'Coupons', state: { id: 's-1' } }],
  }),
  'linear.linear_getTeams': () => ({
    items: [
      { id: 'team-mobile', name: 'Mobile', key: 'MOB' },
      { id: 'team-web', name: 'Web', key: 'WEB' },
    ],
  }),
  'linear.linear_getWorkflowStates': () => ({
    items: [
      { id: 's-1', name: 'Todo', type: 'unstarted' },
      { id: 's-9', name: 'Done', type: 'completed' },
    ],
  }),
  'linear.linear_createIssue': () => ({ id: 'i-99', identifier: 'ENG-99', title: 'new' }),
  'linear.linear_updateIssue': () => ({ id: 'i-12', identifier: 'ENG-12', title: 'Coupons' }),
  'notion.API-post-search': () => page('11111111-2222-3333-4444-555555555555'),
  'notion.API-patch-block-children': () => ({ object: 'list', results: [] }),
  'notion.API-post-page': () => ({ object: 'page', id: '99999999-2222-3333-4444-555555555555' }),
  'brave-search.brave_web_search': () => 'A Cozinha: a quiet place with five tables.',
  'fetch.fetch_readable': () => 'Testing is cheaper than not testing.',
  'filesystem.read_text_file': () => ({ content: 'Pay by the end of May.' }),
}
