"""A Ray cluster of several nodes on this machine, in a process of its own; a script, not a test.

It prints its address, and then does what lines of its standard input say: `add`, `kill` or `quit`.
Each node but the first has one CPU, for one worker. A node is killed with all its processes.
"""

from __future__ import annotations

import sys
from typing import Any

import psutil
import ray
from ray.cluster_utils import Cluster

QUICK = {"health_check_initial_delay_ms": 1000, "health_check_period_ms": 500}
"""A lost node is noticed within seconds."""


def kill(node: Any, cluster: Cluster) -> None:
    """End a node's processes at once, workers first, as when a machine loses its power."""
    raylets = [info.process for info in node.all_processes["raylet"]]
    for raylet in raylets:
        for process in psutil.Process(raylet.pid).children(recursive=True):
            process.kill()
    cluster.remove_node(node, allow_graceful=False)


def main(count: int) -> None:
    cluster = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 0, "include_dashboard": False, "node_ip_address": "127.0.0.1",
            "_system_config": QUICK, "object_store_memory": 80 * 2**20,
        },
    )  # fmt: skip
    nodes: list[Any] = []

    def add() -> None:
        nodes.append(
            cluster.add_node(
                num_cpus=1, node_ip_address="127.0.0.1", object_store_memory=80 * 2**20
            )
        )

    for _ in range(count):
        add()
    print(cluster.address, flush=True)
    for line in sys.stdin:
        if line == "add\n":
            add()
        elif line == "kill\n":
            kill(nodes.pop(0), cluster)
        else:
            break
        print(f"done: {len(nodes)} nodes", flush=True)
    cluster.shutdown()
    ray.shutdown()


if __name__ == "__main__":
    main(int(sys.argv[1]))
