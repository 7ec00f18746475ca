import { Badge, Chip, DraftDot, HueDot, Tag, VariantKey } from '../components/chip.tsx'
import { Code } from '../components/code.tsx'
import { hueOf } from '../components/hue.ts'
import { JoinWord } from '../components/join-word.tsx'
import { Keys } from '../components/keys.tsx'
import { News } from '../components/news.tsx'
import { Note } from '../components/note.tsx'
import { Avatar } from '../components/person.tsx'
import { SegmentChip } from '../components/segment-chip.tsx'
import { namespaceColors, Tile } from '../components/tile.tsx'
import { Time } from '../components/time.tsx'
import { Part, Row } from './part.tsx'

const kinds = ['fact', 'attention', 'failure', 'news', 'done'] as const

export function Texts() {
  return (
    <>
      <Part title="Chips, tags, badges, tiles">
        <Row>
          <Tag>experiment</Tag>
          <Badge>boolean</Badge>
          <Badge look="on">On</Badge>
          <Badge look="draft">not saved</Badge>
          <Badge look="danger">expired</Badge>
          <Badge look="accent">new</Badge>
          <Chip name="DE" isMono onRemove={() => {}}>
            DE
          </Chip>
          <DraftDot label="Has changes" />
          <Avatar name="Mara Lindqvist" />
          <Avatar name="ci-deploy" isBot />
          <Time at={new Date(Date.now() - 720_000).toISOString()} />
          <Keys of="mod k" />
        </Row>
        <Row>
          {namespaceColors.map((color) => (
            <Tile key={color} namespace={{ key: color, name: color, color }} size="large" />
          ))}
          {namespaceColors.map((color, place) => (
            <VariantKey key={color} name={`variant-${place + 1}`} hue={hueOf(place)} />
          ))}
          <HueDot hue="on" />
        </Row>
        <Row>
          <SegmentChip segmentKey="beta" name="Beta users" onRemove={() => {}} />
          <JoinWord isAll onTurn={() => {}} />
          <SegmentChip segmentKey="staff" name="Staff" state="new" onRemove={() => {}} />
          <JoinWord isAll={false} />
          <SegmentChip segmentKey="gone" name="gone" state="missing" />
          <SegmentChip segmentKey="all" name="Everyone" state="everyone" />
        </Row>
      </Part>
      <Part title="Notes, news, code">
        {kinds.map((kind) => (
          <Note key={kind} kind={kind}>
            <b>{kind}</b> The other 10% get the default, blue. Later rules are not asked.
          </Note>
        ))}
        <News action="Show" onShow={() => {}}>
          3 flags were changed by others
        </News>
        <Code
          label="curl"
          text={"curl 'http://localhost:8080/evaluate/v1/boolean' \\\n  -d '{}'"}
        />
      </Part>
    </>
  )
}
