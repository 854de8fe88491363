"""What a model learned over an encoder: a machine over word pieces and order-free similarity, as one feature.

With ``h_l`` the encoder's states of a piece (layer ``l``; 0 is the embeddings), LN the normalisation to mean 0 and
variance 1, and everything else learned:

    x = sum_l mix_l LN(h_l)           z = projection x           c_ij = cosine of z_i and z_j

A piece ``i`` of the reference is deleted, a piece ``j`` of the hypothesis inserted, or the two are matched, any with
any, with the log weights

    edits_Delete + LN(z_i) token_edits_Delete          edits_Insert + LN(z_j) token_edits_Insert
    knots(c_ij) + LN(z_i) token_edits_Substitute + LN(z_j) token_edits_Substitute

where ``knots`` is linear between its values at the cosines 0, .2 … 1; ``transitions`` are added between operations.
Their log-sum ``y`` is that of Wang and Manning (2012), equation (2). Beside it, without regard to order: the greedy
cosines of BERTScore (Zhang et al., 2020), as precision P and recall R with the piece weights
``exp(clip(LN(z) token_weight, -4, 4))``, and the cosine of the weighted means of ``z / |z|``. The value of a pair of m
and n pieces is

    constant + linear . (y / (m + n), log(n / m), log(m / 25), P, R, cosine)

Lengths count as 1 at least. Of two empty sides y / (m + n) is 0 and P, R and the cosine are 1; of one, they are 0.

The relative value takes from it that of the reference and itself. What is left is

    linear . (y / (m + n) - y' / (2 m), log(n / m), 0, P - 1, R - 1, cosine - 1)

with the log-sum y' of the reference and itself; equal sides have 0 whatever their length.
"""
