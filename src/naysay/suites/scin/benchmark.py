"""The released procedure, which is that of scnt, with one verb per pair."""

from __future__ import annotations

from naysay.suites.benchmarks import LikeModel
from naysay.suites.scnt.benchmark import TripletBenchmark


class ScinBenchmark(TripletBenchmark):
    """The Self-Contained Italian Neg Test."""

    models = (LikeModel(name="b-b-it-c", share=0.255),)
    least = 100.0


BENCHMARK = ScinBenchmark()
