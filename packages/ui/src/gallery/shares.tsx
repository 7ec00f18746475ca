import { useState } from 'react'
import { Bar } from '../components/bar.tsx'
import { Dial } from '../components/dial.tsx'
import { hueOf, type Share } from '../components/hue.ts'
import { PercentField } from '../components/percent-field.tsx'
import { Ruler, ShareRuler } from '../components/ruler.tsx'
import { Part, Row } from './part.tsx'

const three: readonly Share[] = [
  { name: 'blue', hue: 'v1', percentage: 60 },
  { name: 'green', hue: 'v2', percentage: 30 },
  { name: 'amber', hue: 'v3', percentage: 1 },
]
const all: readonly Share[] = Array.from({ length: 8 }, (_, place) => ({
  name: `v${place + 1}`,
  hue: hueOf(place),
  percentage: 12.5,
}))

export function Shares() {
  const [share, setShare] = useState(25)
  return (
    <>
      <Part title="Dial, bar">
        <Row>
          {[0, 6, 31, 75, 100, undefined].map((share) => (
            <span key={share ?? 'unknown'} className="flex items-center gap-2 text-13">
              <Dial share={share} /> {share ?? '?'}
            </span>
          ))}
        </Row>
        <div className="grid w-52 gap-3">
          <Bar shares={[{ name: 'on', hue: 'on', percentage: 31 }]} />
          <Bar shares={three} />
          <Bar shares={[]} />
        </div>
      </Part>
      <Part title="Ruler">
        <p className="text-12 text-muted">set</p>
        <div className="flex items-start gap-3">
          <div className="flex-1">
            <ShareRuler
              value={share}
              name="Share of rollout 2"
              onChange={setShare}
              shares={[{ name: 'On', hue: 'on', percentage: share }]}
              rest="the next rules"
            />
          </div>
          <PercentField value={share} name="Share" onChange={(value) => setShare(value ?? 0)} />
        </div>
        <p className="text-12 text-muted">split</p>
        <Ruler shares={three} rest="default" sentence="blue 60%, green 30%, amber 1%" />
        <Ruler shares={all} sentence="Eight variants of 12.5%" />
        <p className="text-12 text-muted">draft: what is taken, what it had, and what it adds</p>
        <Ruler
          sentence="10% go to rule 1, 25% had it, 15% are added"
          shares={[
            { name: 'taken', hue: 'none', percentage: 10, look: 'taken' },
            { name: 'On', hue: 'on', percentage: 25 },
            { name: 'On', hue: 'on', percentage: 15, look: 'new' },
          ]}
        />
        <p className="text-12 text-muted">explain</p>
        <Ruler shares={three} pin={17.3} sentence="Bucket 17.3 is in blue" />
        <Ruler shares={three} pin={99.6} sentence="Bucket 99.6 is in the rest" />
        <p className="text-12 text-muted">read</p>
        <Ruler isLow shares={three} sentence="blue 60%, green 30%, amber 1%" />
      </Part>
    </>
  )
}
