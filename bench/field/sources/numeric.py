"""Numerical work: bodies under gravity, matrices, prime numbers and a smoothed signal."""

import math
import sys


def distance(first, second):
    """Softened distance between two bodies."""
    x, y, z = first[0] - second[0], first[1] - second[1], first[2] - second[2]
    return math.sqrt(x * x + y * y + z * z + 0.01)


def advance(bodies, step):
    """Move all bodies by one step of time."""
    for number, body in enumerate(bodies):
        for other in bodies[number + 1 :]:
            x, y, z = body[0] - other[0], body[1] - other[1], body[2] - other[2]
            square = x * x + y * y + z * z + 0.01
            pull = step / (square * math.sqrt(square))
            mass, weight = body[6] * pull, other[6] * pull
            body[3] -= x * weight
            body[4] -= y * weight
            body[5] -= z * weight
            other[3] += x * mass
            other[4] += y * mass
            other[5] += z * mass
    for body in bodies:
        body[0] += step * body[3]
        body[1] += step * body[4]
        body[2] += step * body[5]


def energy(bodies):
    """Kinetic and potential energy of all bodies."""
    result = 0.0
    for number, body in enumerate(bodies):
        result += 0.5 * body[6] * (body[3] ** 2 + body[4] ** 2 + body[5] ** 2)
        for other in bodies[number + 1 :]:
            result -= body[6] * other[6] / distance(body, other)
    return result


def multiply(left, right):
    """Product of two matrices."""
    columns = list(zip(*right, strict=True))
    return [[sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in left]


def sieve(limit):
    """Prime numbers below the limit."""
    candidates = [True] * limit
    for number in range(2, int(limit**0.5) + 1):
        if candidates[number]:
            for multiple in range(number * number, limit, number):
                candidates[multiple] = False
    return [number for number in range(2, limit) if candidates[number]]


def smooth(signal):
    """Moving average over five values."""
    power = 0.0
    for value in signal:
        power += value * value
    result = []
    for place in range(2, len(signal) - 2):
        window = signal[place - 2] + signal[place - 1] + signal[place] + signal[place + 1] + signal[place + 2]
        result.append(window / 5.0 + power * 1e-9)
    return result


def crossings(signal):
    """Number of sign changes."""
    count = 0
    for place in range(1, len(signal)):
        if (signal[place] < 0.0) != (signal[place - 1] < 0.0):
            count += 1
    return count


def filtered(signal):
    """The signal after two passes, and its sign changes."""
    once = smooth(signal)
    twice = smooth(once)
    return twice, crossings(twice)


def integrate(lower, upper, parts):
    """Simpson's rule on a damped wave."""
    width = (upper - lower) / parts
    result = 0.0
    for part in range(parts + 1):
        place = lower + part * width
        weight = 1 if part in (0, parts) else 4 if part % 2 else 2
        result += weight * math.exp(-place) * math.sin(5.0 * place)
    return result * width / 3.0


def digest(values):
    """A number that depends on all values."""
    state = 17
    for value in values:
        state = (state * 31 + int(value * 1000.0)) & 0xFFFFFFFF
    return state


def simulate(bodies, matrix, signal):
    """One round of all kinds of work."""
    for _ in range(8):
        advance(bodies, 0.001)
    product = multiply(matrix, matrix)
    primes = sieve(1600)
    twice, count = filtered(signal)
    area = integrate(0.0, 3.0, 1800)
    return digest(product[0]) + digest(primes) + digest(twice) + count + int(area * 1000) + int(energy(bodies))


def main(rounds):
    """Run the rounds and print one number."""
    bodies = [[math.sin(n), math.cos(n * n), n * 0.1, 0.0, 0.0, 0.0, 1.0 + n % 3] for n in range(22)]
    matrix = [[math.sin(row * 20 + column) for column in range(18)] for row in range(18)]
    signal = [math.sin(0.05 * n) + 0.3 * math.sin(1.7 * n) for n in range(500)]
    state = 0
    for _ in range(rounds):
        state = (state + simulate(bodies, matrix, signal)) & 0xFFFFFFFF
    print(state)


if __name__ == "__main__":
    main(int(sys.argv[1]))
