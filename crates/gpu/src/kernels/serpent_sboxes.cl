// The S-boxes of Serpent and their inverses as circuits with the fewest gates of three inputs, each of which is one
// instruction where a GPU has such gates. Component x of an input or output has the least significant bits.
//
// Written by `cargo run --release -p sboxes`, which searches for the circuits and checks each on all sixteen nibbles.

uint4 s0(uint4 x)
{
    uint x0 = x.x, x1 = x.y, x2 = x.z, x3 = x.w;
    uint t0 = x1 ^ (x3 | x0);
    uint t1 = ((x3 ^ x0) & x1) ^ x0;
    uint t2 = (x2 ^ x0) ^ x3;
    uint y3 = x2 ^ t0;
    uint y0 = ~(((t1 ^ t2) & y3) ^ t1);
    uint y2 = (t1 & t2) ^ t0;
    uint y1 = ~(((t1 ^ t2) & y3) ^ t2);
    return (uint4)(y0, y1, y2, y3);
}

uint4 inverse_s0(uint4 x)
{
    uint x0 = x.x, x1 = x.y, x2 = x.z, x3 = x.w;
    uint t0 = ~(x2 ^ (x1 | x0));
    uint t1 = (x3 & x0) ^ (x3 | x1);
    uint t2 = (x1 ^ x0) ^ x3;
    uint y2 = x3 ^ t0;
    uint y0 = (~t1 & t0) ^ t2;
    uint y1 = ~(((t1 ^ t0) & (t2 ^ t0)) ^ t1);
    uint y3 = t2 ^ (~t1 | t0);
    return (uint4)(y0, y1, y2, y3);
}

uint4 s1(uint4 x)
{
    uint x0 = x.x, x1 = x.y, x2 = x.z, x3 = x.w;
    uint t0 = (x3 & x0) ^ (x3 | x1);
    uint t1 = x2 ^ (~x1 | x0);
    uint t2 = (x1 ^ x0) ^ x3;
    uint y0 = ~((t1 & t0) ^ (t2 | t0));
    uint y1 = (t1 & t2) ^ (t1 | t0);
    uint y2 = x3 ^ t1;
    uint y3 = ~(((t2 ^ t0) & t1) ^ t2);
    return (uint4)(y0, y1, y2, y3);
}

uint4 inverse_s1(uint4 x)
{
    uint x0 = x.x, x1 = x.y, x2 = x.z, x3 = x.w;
    uint t0 = (x3 & x0) ^ (x1 | x0);
    uint t1 = ((x3 | x1) ^ x0) ^ x1;
    uint t2 = (x2 ^ x1) ^ x3;
    uint y3 = x2 ^ t1;
    uint y0 = ~(((t2 ^ t0) & y3) ^ t2);
    uint y2 = ~((t2 & t0) ^ t1);
    uint y1 = ((t2 ^ t0) & y3) ^ t0;
    return (uint4)(y0, y1, y2, y3);
}

uint4 s2(uint4 x)
{
    uint x0 = x.x, x1 = x.y, x2 = x.z, x3 = x.w;
    uint t0 = x0 ^ x2;
    uint t1 = x3 ^ (x2 & x0);
    uint y0 = (x2 ^ x1) ^ t1;
    uint y3 = (~x1 | t1) ^ t0;
    uint t2 = (x1 ^ (t1 | x0)) ^ t1;
    uint y1 = ~((t2 & y3) ^ (y3 | t1));
    uint y2 = ((t2 ^ t1) & y3) ^ t2;
    return (uint4)(y0, y1, y2, y3);
}

uint4 inverse_s2(uint4 x)
{
    uint x0 = x.x, x1 = x.y, x2 = x.z, x3 = x.w;
    uint t0 = (x3 & x2) ^ (x3 | x1);
    uint t1 = (x3 & x1) ^ (x2 | x1);
    uint y0 = x0 ^ t1;
    uint t2 = (~x1 & x3) ^ x2;
    uint y1 = (~x0 & t0) ^ t2;
    uint y2 = t2 ^ (~x0 | t0);
    uint y3 = ~((y2 & y0) ^ t0);
    return (uint4)(y0, y1, y2, y3);
}

uint4 s3(uint4 x)
{
    uint x0 = x.x, x1 = x.y, x2 = x.z, x3 = x.w;
    uint t0 = (x3 & x0) ^ x1;
    uint t1 = (~x2 & (x3 | x0)) ^ x3;
    uint y1 = t1 ^ (t0 & x1);
    uint t2 = (x1 & x0) ^ (x3 | x0);
    uint y3 = t0 ^ (t2 | x2);
    uint t3 = (y3 | t2) ^ x0;
    uint y0 = (t3 & y1) ^ t2;
    uint y2 = y1 ^ t3;
    return (uint4)(y0, y1, y2, y3);
}

uint4 inverse_s3(uint4 x)
{
    uint x0 = x.x, x1 = x.y, x2 = x.z, x3 = x.w;
    uint t0 = (~x1 & x0) ^ x2;
    uint t1 = ((x2 | x1) ^ x0) ^ x2;
    uint t2 = (x2 ^ x1) ^ x3;
    uint y0 = (~x3 & t1) ^ t2;
    uint t3 = (~x3 & t2) | (t1 ^ x3);
    uint y3 = (t2 & t0) ^ t1;
    uint y1 = (~t2 & t0) ^ t3;
    uint y2 = (y0 ^ x1) ^ t3;
    return (uint4)(y0, y1, y2, y3);
}

uint4 s4(uint4 x)
{
    uint x0 = x.x, x1 = x.y, x2 = x.z, x3 = x.w;
    uint t0 = (~x0 & x3) ^ x2;
    uint t1 = ((t0 | x1) ^ x0) ^ t0;
    uint y3 = (t0 ^ x3) ^ t1;
    uint t2 = (~x3 & (t1 | t0)) ^ t0;
    uint y0 = ~((y3 & x1) ^ t0);
    uint y1 = x1 ^ t2;
    uint y2 = ~((y1 | y0) ^ t1);
    return (uint4)(y0, y1, y2, y3);
}

uint4 inverse_s4(uint4 x)
{
    uint x0 = x.x, x1 = x.y, x2 = x.z, x3 = x.w;
    uint t0 = x2 ^ (x1 | x0);
    uint t1 = t0 ^ ((t0 & x0) | x3);
    uint y1 = x1 ^ t1;
    uint t2 = (y1 & x3) ^ x0;
    uint y0 = ~((t2 & y1) ^ t0);
    uint y3 = (t0 ^ x3) ^ t2;
    uint y2 = (~y3 | y0) ^ t2;
    return (uint4)(y0, y1, y2, y3);
}

uint4 s5(uint4 x)
{
    uint x0 = x.x, x1 = x.y, x2 = x.z, x3 = x.w;
    uint t0 = (~x0 & x1) ^ x2;
    uint t1 = ((t0 | x3) ^ x1) ^ t0;
    uint y1 = ~((t0 ^ x0) ^ t1);
    uint t2 = ~(((t1 & x0) | t0) ^ x0);
    uint y0 = (~x3 | y1) ^ t0;
    uint y3 = x3 ^ t2;
    uint y2 = (~y3 | y0) ^ t1;
    return (uint4)(y0, y1, y2, y3);
}

uint4 inverse_s5(uint4 x)
{
    uint x0 = x.x, x1 = x.y, x2 = x.z, x3 = x.w;
    uint t0 = (~x0 & x3) ^ x2;
    uint t1 = ~(x1 ^ (t0 | (x1 & x0)));
    uint y3 = x3 ^ t1;
    uint t2 = (~y3 | x1) ^ x0;
    uint y0 = (t0 ^ x1) ^ t2;
    uint y1 = (~y3 | t2) ^ t0;
    uint y2 = ((y1 | y0) ^ t2) ^ y0;
    return (uint4)(y0, y1, y2, y3);
}

uint4 s6(uint4 x)
{
    uint x0 = x.x, x1 = x.y, x2 = x.z, x3 = x.w;
    uint t0 = x3 ^ ((x1 ^ x0) | (x3 & x1));
    uint t1 = ~((x3 & x0) ^ x2);
    uint y1 = x1 ^ t1;
    uint t2 = ~(((x3 ^ x0) & (y1 ^ x0)) ^ y1);
    uint y0 = ~((t2 & x2) ^ t0);
    uint y2 = ~(t0 ^ (t2 | x2));
    uint y3 = ~((t2 & t0) ^ (t1 | t0));
    return (uint4)(y0, y1, y2, y3);
}

uint4 inverse_s6(uint4 x)
{
    uint x0 = x.x, x1 = x.y, x2 = x.z, x3 = x.w;
    uint t0 = (x3 & x0) ^ (x3 | x2);
    uint t1 = ((x2 ^ x0) & (x3 ^ x0)) ^ x2;
    uint t2 = x3 ^ (~x2 | x0);
    uint y0 = t0 ^ (~t1 | x1);
    uint y3 = (~x1 | t1) ^ t0;
    uint y1 = x1 ^ t2;
    uint y2 = ~(t2 ^ (y3 & y0));
    return (uint4)(y0, y1, y2, y3);
}

uint4 s7(uint4 x)
{
    uint x0 = x.x, x1 = x.y, x2 = x.z, x3 = x.w;
    uint t0 = (x3 & x1) ^ x0;
    uint t1 = ((t0 & x1) | x2) ^ x1;
    uint t2 = (~x1 & x0) ^ x3;
    uint y2 = t1 ^ (t2 | x3);
    uint t3 = ~((t2 ^ x2) & (t0 | x2));
    uint y0 = x0 ^ t3;
    uint y3 = (t1 ^ (t3 | t0)) ^ t3;
    uint y1 = (~y0 | y2) ^ t0;
    return (uint4)(y0, y1, y2, y3);
}

uint4 inverse_s7(uint4 x)
{
    uint x0 = x.x, x1 = x.y, x2 = x.z, x3 = x.w;
    uint t0 = (x3 & x0) ^ (x2 | x0);
    uint t1 = (x1 ^ (x2 | x0)) ^ x2;
    uint t2 = x2 ^ x3;
    uint y3 = ((t2 ^ t0) & t1) ^ t0;
    uint t3 = ~((x3 ^ x2) ^ (t1 & (x3 | x2)));
    uint y1 = x0 ^ t3;
    uint y0 = ~((y1 & y3) ^ t1);
    uint y2 = (t3 ^ t0) ^ y0;
    return (uint4)(y0, y1, y2, y3);
}
