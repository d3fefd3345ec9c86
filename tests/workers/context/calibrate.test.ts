import { describe, expect, test } from 'vitest'
import {
  estimateSince,
  estimateWhole,
  isCredible,
  learnOffset,
  learnSlope,
  UNCALIBRATED,
  type Calibration,
} from '#workers/context/domain/calibrate.ts'

describe('calibration', () => {
  test('an anchored estimate is the report, the answer, and what came since', () => {
    expect(estimateSince(10_000, 200, 100, { offset: 999, slope: 1.5 })).toBe(10_350)
  })

  test('a hidden constant is learned from one report', () => {
    expect(estimateWhole(5_000, learnOffset(5_400, 5_000, UNCALIBRATED))).toBe(5_400)
  })

  test('a long history’s difference does not burden the next short session', () => {
    expect(estimateWhole(1_000, learnOffset(240_000, 200_000, UNCALIBRATED))).toBe(5_000)
  })

  test('the slope is learned from differences, within bounds', () => {
    let calibration: Calibration = UNCALIBRATED
    for (let report = 0; report < 60; report++) calibration = learnSlope(1_300, 1_000, calibration)
    let wild: Calibration = UNCALIBRATED
    for (let report = 0; report < 200; report++) wild = learnSlope(90_000, 1_000, wild)
    expect([calibration.slope > 1.29 && calibration.slope < 1.31, wild.slope <= 1.8, learnSlope(500, 100, UNCALIBRATED)]).toEqual([
      true,
      true,
      UNCALIBRATED,
    ])
  })

  test('a report far below the estimate is not the whole prompt', () => {
    expect([isCredible(0, 100), isCredible(50, 5_000), isCredible(4_000, 5_000), isCredible(9_000, 5_000)]).toEqual([
      false,
      false,
      true,
      true,
    ])
  })
})
