"""Build graphs and run algorithms on them."""

import random

import networkx as nx


def work():
    """One unit of work."""
    random_numbers = random.Random(work.calls)
    work.calls += 1
    graph = nx.Graph()
    for _ in range(400):
        graph.add_edge(random_numbers.randrange(120), random_numbers.randrange(120), weight=random_numbers.random())
    parts = list(nx.connected_components(graph))
    largest = graph.subgraph(max(parts, key=len)).copy()
    paths = nx.single_source_dijkstra_path_length(largest, min(largest))
    cores = nx.core_number(nx.Graph((a, b) for a, b in largest.edges if a != b))
    return len(paths) + len(cores) + len(nx.greedy_color(largest)) + sum(nx.clustering(largest).values())


work.calls = 0


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
